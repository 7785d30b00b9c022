// Names of NCCL's orders.
#include "kernels/order/nccl.hpp"

#include <algorithm>
#include <array>

#include "kernels/cpu/nccl_ops.hpp"
#include "kernels/order/name.hpp"

namespace petri::order::nccl {
namespace {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr std::array kCollectives{
    Named<Collective>{"allreduce", Collective::allreduce},
    Named<Collective>{"reduce", Collective::reduce},
    Named<Collective>{"reduce-scatter", Collective::reduce_scatter},
};
constexpr std::array kAlgorithms{
    Named<Algorithm>{"ring", Algorithm::ring},
    Named<Algorithm>{"tree", Algorithm::tree},
    Named<Algorithm>{"pat", Algorithm::pat},
    Named<Algorithm>{"symmetric-ll", Algorithm::symmetric_ll},
    Named<Algorithm>{"symmetric-ld", Algorithm::symmetric_ld},
    Named<Algorithm>{"symmetric-mc", Algorithm::symmetric_multicast},
    Named<Algorithm>{"nvls", Algorithm::nvls},
    Named<Algorithm>{"nvls-tree", Algorithm::nvls_tree},
    Named<Algorithm>{"collnet-chain", Algorithm::collnet_chain},
    Named<Algorithm>{"collnet-direct", Algorithm::collnet_direct},
};
constexpr std::array kProtocols{
    Named<Protocol>{"simple", Protocol::simple},
    Named<Protocol>{"ll", Protocol::ll},
    Named<Protocol>{"ll128", Protocol::ll128},
};

constexpr std::uint64_t kMostChannels = 64;  // MAXCHANNELS

template <class Table, class Value>
bool take(const Table& table, std::string_view name, Value& value) {
  const auto entry = std::find_if(table.begin(), table.end(), [&](const auto& e) { return e.name == name; });
  if (entry != table.end()) value = entry->value;
  return entry != table.end();
}

// Up to the next slash, which goes as well.
std::string_view next_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find('/'));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

std::optional<Choice> choice_named(std::string_view what) {
  const auto parts = split(what);
  if (!parts || parts->accumulator) return std::nullopt;
  const std::uint64_t channels = parts->number.value_or(1);
  if (channels < 1 || channels > kMostChannels) return std::nullopt;
  Choice choice;
  choice.channels = static_cast<std::int32_t>(channels);
  std::string_view rest = parts->name;
  if (rest.empty() || rest.back() == '/') return std::nullopt;
  std::string_view word = next_word(rest);
  if (take(kCollectives, word, choice.collective)) word = next_word(rest);
  if (!take(kAlgorithms, word, choice.algorithm)) return std::nullopt;
  if (!rest.empty() && !take(kProtocols, next_word(rest), choice.protocol)) return std::nullopt;
  if (!rest.empty()) return std::nullopt;
  return choice;
}

kernels::NcclKernel kernel_of(const Choice& choice) {
  switch (choice.algorithm) {
    case Algorithm::symmetric_ll:
    case Algorithm::symmetric_ld:
    case Algorithm::symmetric_multicast: return kernels::NcclKernel::symmetric;
    default: return choice.protocol == Protocol::ll128 ? kernels::NcclKernel::ll128 : kernels::NcclKernel::simple;
  }
}

// PAT does not scale (src/enqueue.cc, updateCollCostTable), and no symmetric allreduce does.
bool has_average(const Version& version, const Choice& choice) {
  if (choice.algorithm == Algorithm::pat) return false;
  if (kernel_of(choice) != kernels::NcclKernel::symmetric) return true;
  return version.symmetric_average && choice.collective == Collective::reduce_scatter;
}

template <class Table>
NameProblem unknown_word(const Table& table, std::string_view kind, std::string_view what, std::string_view word) {
  const auto at = static_cast<std::size_t>(word.data() - what.data());
  NameProblem problem{"NCCL has no " + std::string(kind) + " '" + std::string(word) + "'",
                      std::string(what.substr(0, at)), std::string(word), std::string(what.substr(at + word.size()))};
  for (const auto& entry : table) problem.known.push_back(entry.name);
  return problem;
}

// Of the words before the channels; nothing where each has its meaning.
std::optional<NameProblem> wrong_word(std::string_view what) {
  std::string_view rest = what.substr(0, what.find(':'));
  Choice choice;
  std::string_view word = next_word(rest);
  const bool has_collective = take(kCollectives, word, choice.collective);
  if (has_collective && rest.empty())
    return NameProblem{"an algorithm is to follow " + std::string(word), "", "", "", {}, std::string(word) + "/ring"};
  if (has_collective) word = next_word(rest);
  if (!take(kAlgorithms, word, choice.algorithm))
    return rest.empty() || has_collective ? unknown_word(kAlgorithms, "algorithm", what, word)
                                          : unknown_word(kCollectives, "collective", what, word);
  if (rest.empty()) return std::nullopt;
  word = next_word(rest);
  if (!take(kProtocols, word, choice.protocol)) return unknown_word(kProtocols, "protocol", what, word);
  if (rest.empty()) return std::nullopt;
  return NameProblem{"nothing follows the protocol but a colon and the channels", "", "", ""};
}

template <class Table, class Value>
std::string name_in(const Table& table, Value value) {
  return std::string(std::find_if(table.begin(), table.end(), [&](const auto& e) { return e.value == value; })->name);
}

constexpr std::array kVersions{
    Version{"2.28", 16 << 10, true, false},
    Version{"2.29", 32 << 10, false, false},
    Version{"2.30", 32 << 10, false, true},
};

}  // namespace

std::span<const Version> versions() {
  return kVersions;
}

std::optional<Reduction> reduction(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op) {
  const auto known =
      std::find_if(kVersions.begin(), kVersions.end(), [&](const Version& v) { return v.name == version; });
  const Version& rules = known != kVersions.end() ? *known : kVersions.back();
  const auto choice = choice_named(what);
  if (!choice || (op == ReduceOp::avg && !has_average(rules, *choice))) return std::nullopt;
  const auto how = kernels::nccl_arithmetic(shape.type, op, kernel_of(*choice));
  if (!how) return std::nullopt;
  auto order = order_of(rules, *choice, shape);
  if (!order) return std::nullopt;
  const bool varies = op == ReduceOp::avg && kernels::averages_vary(shape.type, kernel_of(*choice));
  if (known == kVersions.end() || varies) order->determinism = Determinism::not_guaranteed;
  return Reduction{std::move(*order), *how};
}

NameProblem problem(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op) {
  if (what.find('@') != std::string_view::npos)
    return {"the type that NCCL sums in is its own: no @TYPE", "", "", "", {}, ""};
  if (auto word = wrong_word(what)) return *std::move(word);
  const auto choice = choice_named(what);
  if (!choice)
    return {"CHANNELS is a whole number from 1 to " + std::to_string(kMostChannels) + ", not '" +
                std::string(what.substr(std::min(what.size(), what.find(':') + 1))) + "'",
            "", "", ""};
  const auto known =
      std::find_if(kVersions.begin(), kVersions.end(), [&](const Version& v) { return v.name == version; });
  const Version& rules = known != kVersions.end() ? *known : kVersions.back();
  const std::string algorithm = name_in(kAlgorithms, choice->algorithm);
  if (op == ReduceOp::avg && !has_average(rules, *choice))
    return {algorithm + " of NCCL " + std::string(rules.name) + " makes no average", "", "", ""};
  if (!kernels::nccl_arithmetic(shape.type, op, kernel_of(*choice)))
    return {"NCCL has no " + std::string(name_of(op)) + " of " + std::string(name_of(shape.type)), "", "", ""};
  return {"NCCL has no " + name_in(kCollectives, choice->collective) + " by " + algorithm + " with the protocol " +
              name_in(kProtocols, choice->protocol),
          "", "", ""};
}

std::span<const CatalogueLine> lines() {
  static constexpr std::array all{
      CatalogueLine{"nccl-2.30/ring[/PROTOCOL][:CHANNELS]", "allreduce around a ring, a chunk for each rank"},
      CatalogueLine{"nccl-2.30/tree[/PROTOCOL][:CHANNELS]",
                    "allreduce up a tree: a chain in each host, two trees of hosts"},
      CatalogueLine{"nccl-2.30/symmetric-ll", "allreduce on registered memory: ranks in ascending order"},
      CatalogueLine{"nccl-2.30/symmetric-ld[:BLOCKS]",
                    "allreduce on registered memory: from the rank that owns the elements"},
      CatalogueLine{"nccl-2.30/nvls",
                    "allreduce in the switch, in an order that nothing defines; also nvls-tree, symmetric-mc"},
      CatalogueLine{"nccl-2.30/collnet-direct",
                    "allreduce in the network, in an order that nothing defines; also collnet-chain"},
      CatalogueLine{"nccl-2.30/reduce/ring[/PROTOCOL][:CHANNELS]", "around the ring, from the rank after the root 0"},
      CatalogueLine{"nccl-2.30/reduce-scatter/ring[/PROTOCOL][:CHANNELS]",
                    "each block from the rank after the one that gets it"},
      CatalogueLine{"nccl-2.30/reduce-scatter/pat[:CHANNELS]", "a binomial tree that aggregates steps; no average"},
  };
  return all;
}

}  // namespace petri::order::nccl
