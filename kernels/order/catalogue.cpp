#include "kernels/order/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "kernels/order/libraries.hpp"
#include "kernels/order/name.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order {
namespace {

// What an order's number may be. `usual` where none is written; nothing: it takes none.
struct NumberRule {
  std::optional<std::uint64_t> usual;
  std::uint64_t least = 0, most = 0;
};
constexpr NumberRule kNone{};
constexpr NumberRule kArity{2, 1, 1U << 20}, kChannels{1, 1, 1U << 16}, kBlocks{1, 1, 1U << 20};
constexpr NumberRule kSeed{0, 0, ~std::uint64_t{0}};

struct Entry {
  std::string_view name;
  NumberRule number;
  Order (*make)(const Shape& shape, std::uint64_t number);
  CatalogueLine line;
};

constexpr auto small(std::uint64_t number) {
  return static_cast<std::int32_t>(number);
}

const std::array kEntries{
    Entry{"sequential",
          kNone,
          [](const Shape& s, std::uint64_t) { return sequential(s); },
          {"sequential", "((x0+x1)+x2)+…"}},
    Entry{"own-first",
          kNone,
          [](const Shape& s, std::uint64_t) { return own_first(s); },
          {"own-first", "each rank adds the others to its own: ranks may disagree"}},
    Entry{"pairwise",
          kNone,
          [](const Shape& s, std::uint64_t) { return pairwise(s); },
          {"pairwise", "halves of the ranks, again and again"}},
    Entry{"tree",
          kArity,
          [](const Shape& s, std::uint64_t n) { return heap_tree(s, small(n)); },
          {"tree[:ARITY]", "a tree of ranks, arity 2 unless said; tree:1 is a chain"}},
    Entry{"binomial",
          kNone,
          [](const Shape& s, std::uint64_t) { return binomial(s); },
          {"binomial", "own, then the children at distances 1, 2, 4 …"}},
    Entry{"recursive-doubling",
          kNone,
          [](const Shape& s, std::uint64_t) { return recursive_doubling(s); },
          {"recursive-doubling", "neighbours at distances 1, 2, 4 …"}},
    Entry{"rabenseifner",
          kNone,
          [](const Shape& s, std::uint64_t) { return recursive_halving(s); },
          {"rabenseifner", "recursive halving: the largest distance first"}},
    Entry{"ring",
          kChannels,
          [](const Shape& s, std::uint64_t n) { return ring(s, small(n)); },
          {"ring[:CHANNELS]", "a ring, each block beginning with another rank"}},
    Entry{"double-binary-tree",
          kNone,
          [](const Shape& s, std::uint64_t) { return double_binary_tree(s); },
          {"double-binary-tree", "two trees, one for each half of the vector"}},
    Entry{"by-host",
          kNone,
          [](const Shape& s, std::uint64_t) { return by_host(s); },
          {"by-host", "the ranks of each host, then the hosts"}},
    Entry{"blocks",
          kBlocks,
          [](const Shape& s, std::uint64_t n) { return blocks(s, small(n)); },
          {"blocks[:COUNT]", "partial sums of neighbouring ranks, then their sum: a decomposition"}},
    Entry{"arrival",
          kSeed,
          [](const Shape& s, std::uint64_t n) { return arrival(s, n); },
          {"arrival[:SEED]", "as contributions happen to come; each run draws another seed"}},
};

bool takes(const Entry& entry, std::uint64_t number) {
  return entry.number.usual && number >= entry.number.least && number <= entry.number.most;
}

constexpr std::array<std::string_view, 6> kAccumulators{"float16", "bfloat16", "float32", "float64", "int32", "int64"};

// What others call these orders.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kOtherWords{{
    {"butterfly", "recursive-doubling"},
    {"chain", "tree:1"},
    {"double-tree", "double-binary-tree"},
    {"dbtree", "double-binary-tree"},
    {"flat", "sequential"},
    {"halving-doubling", "rabenseifner"},
    {"hierarchical", "by-host"},
    {"k-ary", "tree"},
    {"kary", "tree"},
    {"k-ary-tree", "tree"},
    {"linear", "sequential"},
    {"random", "arrival"},
    {"recursive-halving", "rabenseifner"},
    {"rhd", "rabenseifner"},
    {"serial", "sequential"},
    {"two-level", "by-host"},
}};

NameProblem unknown_word(std::string_view word, std::string_view name) {
  const std::string rest(name.substr(word.size()));
  NameProblem problem{"no order is called '" + std::string(word) + "'", "", std::string(word), rest};
  for (const Entry& entry : kEntries) problem.known.push_back(entry.name);
  for (const auto& [other, ours] : kOtherWords)
    if (other == word) problem.meant = std::string(ours) + (ours.find(':') == std::string_view::npos ? rest : "");
  for (const Library& library : libraries())
    if (word.starts_with(library.name)) {
      problem.known.clear();
      problem.reason = "a library's order is LIBRARY-VERSION/WHAT, such as " + std::string(library.lines.front().form);
    }
  return problem;
}

// "ring[:CHANNELS]" has the name of the number.
NameProblem wrong_number(const Entry& entry, std::string_view digits) {
  const std::string name(entry.name);
  if (!entry.number.usual) return {name + " takes no number", "", "", "", {}, name};
  const auto colon = entry.line.form.find(':');
  const std::string what(entry.line.form.substr(colon + 1, entry.line.form.size() - colon - 2));
  return {what + " of " + name + " is a whole number from " + std::to_string(entry.number.least) + " to " +
              std::to_string(entry.number.most) + ", not '" + std::string(digits) + "'",
          "", "", ""};
}

std::optional<Reduction> made(std::string_view name, const Shape& shape, ReduceOp op) {
  if (name.find('/') != std::string_view::npos) return reduction_of_library(name, shape, op);
  const auto parts = split(name);
  if (!parts) return std::nullopt;
  const auto entry =
      std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.name == parts->name; });
  if (entry == kEntries.end()) return std::nullopt;
  if (parts->number && !takes(*entry, *parts->number)) return std::nullopt;
  const auto how = kernels::arithmetic(shape.type, op, parts->accumulator);
  if (!how) return std::nullopt;
  Reduction reduction{entry->make(shape, parts->number.value_or(entry->number.usual.value_or(0))), *how};
  reduction.order.name = std::string(name);
  return reduction;
}

}  // namespace

std::optional<Reduction> reduction_named(std::string_view name, const Shape& shape, ReduceOp op) {
  const auto ranks = std::to_string(shape.ranks), count = std::to_string(shape.count);
  if (shape.ranks < 1) return std::nullopt;
  if (shape.count > kMostContributions / static_cast<std::uint64_t>(shape.ranks))
    throw TooLarge(count + " elements on " + ranks + " ranks are more than 2^56 contributions");
  const Allowance allowance(kMostOrderBytes);
  try {
    return made(name, shape, op);
  } catch (const TooLarge&) {
    throw TooLarge("the order '" + std::string(name) + "' of " + count + " elements on " + ranks +
                   " ranks has trees and parts of more than " + std::to_string(kMostOrderBytes >> 20) + " MiB");
  }
}

NameProblem problem_of(std::string_view name, const Shape& shape, ReduceOp op) {
  if (name.find('/') != std::string_view::npos) return problem_of_library(name, shape, op);
  const std::string_view left = name.substr(0, name.find('@')), word = left.substr(0, left.find(':'));
  const auto entry = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.name == word; });
  if (entry == kEntries.end()) return unknown_word(word, name);
  if (left.size() > word.size()) {
    const std::string_view digits = left.substr(word.size() + 1);
    const auto parts = split(left);
    if (!parts || !parts->number || !takes(*entry, *parts->number)) return wrong_number(*entry, digits);
  }
  if (left.size() < name.size()) {
    const std::string type(name.substr(left.size() + 1));
    const std::string all = std::string(left) + "@";
    if (!element_type_named(type))
      return {
          "'" + type + "' is no type that is summed in", all, type, "", {kAccumulators.begin(), kAccumulators.end()}};
    if (kernels::arithmetic(shape.type, op))
      return {std::string(name_of(shape.type)) + " is not combined in " + type, "", "", ""};
  }
  return {"there is no " + std::string(name_of(op)) + " of " + std::string(name_of(shape.type)), "", "", ""};
}

std::vector<std::string> runs_of(std::string_view name, std::size_t runs) {
  const auto parts = split(name);
  if (!parts || parts->name != "arrival" || parts->number) return {std::string(name)};
  std::vector<std::string> names;
  for (std::size_t seed = 0; seed < runs; ++seed)
    names.push_back("arrival:" + std::to_string(seed) + std::string(name.substr(parts->name.size())));
  return names;
}

const std::vector<CatalogueLine>& catalogue() {
  static const std::vector<CatalogueLine> lines = [] {
    std::vector<CatalogueLine> all;
    for (const Entry& entry : kEntries) all.push_back(entry.line);
    for (const Library& library : libraries()) all.insert(all.end(), library.lines.begin(), library.lines.end());
    return all;
  }();
  return lines;
}

}  // namespace petri::order
