#include "kernels/order/openmpi_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "kernels/cpu/openmpi_ops.hpp"

namespace petri::order::openmpi {
namespace {

template <class T>
bool read_number(std::string_view digits, T& number) {
  const char* end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stopped == end && number >= 0;
}

bool read_collective(std::string_view text, Invocation& how) {
  const auto colon = text.find(':');
  const auto name = std::find(kCollectiveNames.begin(), kCollectiveNames.end(), text.substr(0, colon));
  if (name == kCollectiveNames.end()) return false;
  how.collective = static_cast<Collective>(name - kCollectiveNames.begin());
  return colon == std::string_view::npos || (read_number(text.substr(colon + 1), how.algorithm) && how.algorithm > 0);
}

bool read_option(std::string_view text, Invocation& how) {
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (equals != std::string_view::npos) {
    const std::string_view value = text.substr(equals + 1);
    if (name == "root") return read_number(value, how.root);
    if (name == "segment") return read_number(value, how.segment_bytes);
    return name == "fanout" && read_number(value, how.fanout);
  }
  if (name == "in-place") {
    how.in_place = true;
  } else if (name == "in-order") {
    how.commutative = false;
  } else if (name == "sm") {
    how.component = Component::sm;
  } else if (name == "han") {
    how.component = Component::han;
  } else if (name == "adapt") {
    how.component = Component::adapt;
  } else {
    return false;
  }
  return true;
}

constexpr std::array<std::string_view, 5> kFlags{"in-place", "in-order", "sm", "han", "adapt"};
constexpr std::array<std::string_view, 3> kSettings{"root", "segment", "fanout"};

// What stands before the options is no call.
NameProblem wrong_call(std::string_view what, std::string_view call) {
  const std::string name(call.substr(0, call.find(':')));
  if (std::find(kCollectiveNames.begin(), kCollectiveNames.end(), name) == kCollectiveNames.end())
    return {"Open MPI " + std::string(kMeasured) + " has no reduction '" + name + "'",
            "",
            name,
            std::string(what.substr(name.size())),
            {kCollectiveNames.begin(), kCollectiveNames.end()}};
  const auto number = static_cast<std::size_t>(std::find(kCollectiveNames.begin(), kCollectiveNames.end(), name) -
                                               kCollectiveNames.begin());
  return {"ALGORITHM of " + name + " is a whole number from 1 to " +
              std::to_string(algorithms(static_cast<Collective>(number))) + ", not '" +
              std::string(call.substr(name.size() + 1)) + "'",
          "", "", ""};
}

// The option from `first` to `end` is none, or its value is no number.
NameProblem wrong_option(std::string_view what, std::size_t first, std::size_t end) {
  const std::string option(what.substr(first, end - first)), name = option.substr(0, option.find('='));
  const bool has_value = name.size() < option.size();
  if (has_value && std::find(kSettings.begin(), kSettings.end(), name) != kSettings.end())
    return {name + " is a whole number, not '" + option.substr(name.size() + 1) + "'", "", "", ""};
  NameProblem problem{
      "there is no option '" + option +
          "'; options are root=RANK, segment=BYTES, fanout=CHAINS, in-place, in-order, sm, han and adapt",
      std::string(what.substr(0, first)), name, std::string(what.substr(first + name.size()))};
  if (has_value)
    problem.known.assign(kSettings.begin(), kSettings.end());
  else
    problem.known.assign(kFlags.begin(), kFlags.end());
  return problem;
}

}  // namespace

std::optional<Invocation> invocation_named(std::string_view what) {
  Invocation how;
  auto plus = what.find('+');
  if (!read_collective(what.substr(0, plus), how)) return std::nullopt;
  while (plus != std::string_view::npos) {
    const auto next = what.find('+', plus + 1);
    if (!read_option(what.substr(plus + 1, next - plus - 1), how)) return std::nullopt;
    plus = next;
  }
  return how;
}

std::optional<Reduction> reduction(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op) {
  const auto how = invocation_named(what);
  if (!how) return std::nullopt;
  const bool half = shape.type == ElementType::float16 || shape.type == ElementType::bfloat16;
  const auto arithmetic = half ? kernels::arithmetic(shape.type, op) : kernels::openmpi_arithmetic(shape.type, op);
  if (!arithmetic || op == ReduceOp::avg) return std::nullopt;
  auto order = order_of(kMeasured, *how, shape);
  if (!order) return std::nullopt;
  if (version != kMeasured) order->determinism = Determinism::not_guaranteed;
  return Reduction{*std::move(order), *arithmetic};
}

NameProblem problem(std::string_view, std::string_view what, const Shape& shape, ReduceOp op) {
  const std::string_view call = what.substr(0, what.find('+'));
  Invocation how;
  if (!read_collective(call, how)) return wrong_call(what, call);
  for (std::size_t plus = call.size(); plus < what.size();) {
    const std::size_t next = std::min(what.find('+', plus + 1), what.size());
    if (!read_option(what.substr(plus + 1, next - plus - 1), how)) return wrong_option(what, plus + 1, next);
    plus = next;
  }
  const auto plain = [](std::string reason) { return NameProblem{std::move(reason), "", "", ""}; };
  if (op == ReduceOp::avg) return plain("MPI has no average");
  const std::string collective(kCollectiveNames[static_cast<std::size_t>(how.collective)]);
  const std::int32_t most = algorithms(how.collective, how.component);
  const std::string with = how.component == Component::usual ? "" : " by this component";
  if (how.algorithm > most)
    return plain(collective + with + " of Open MPI " + std::string(kMeasured) +
                 (most == 0
                      ? " has no algorithms to choose from"
                      : " has the algorithms 1 to " + std::to_string(most) + ", not " + std::to_string(how.algorithm)));
  if (how.root >= shape.ranks)
    return plain("the root " + std::to_string(how.root) + " is none of the ranks 0 to " +
                 std::to_string(shape.ranks - 1));
  if (how.fanout < 1) return plain("fanout is a whole number from 1 on");
  if (how.collective == Collective::reduce_scatter_block && shape.count % static_cast<std::uint64_t>(shape.ranks) != 0)
    return plain("blocks of reduce_scatter_block are equal, and " + std::to_string(shape.count) +
                 " elements are no multiple of " + std::to_string(shape.ranks) + " ranks");
  return plain("Open MPI has no " + std::string(petri::name_of(op)) + " of " + std::string(petri::name_of(shape.type)));
}

std::span<const CatalogueLine> lines() {
  static constexpr std::array all{
      CatalogueLine{
          "openmpi-4.1/allreduce[:ALGORITHM][+OPTION…]",
          "1 linear, 2 as reduce, 3 doubling, 4 ring, 5 segmented ring, 6 Rabenseifner; none: by ranks and size"},
      CatalogueLine{"openmpi-4.1/reduce[:ALGORITHM][+root=R][+segment=B]",
                    "1 linear, 2 chains, 3 pipeline, 4 binary, 5 binomial, 6 in-order binary, 7 Rabenseifner"},
      CatalogueLine{"openmpi-4.1/reduce_scatter[:ALGORITHM]", "1 as reduce, 2 halving, 3 ring, 4 butterfly"},
      CatalogueLine{"openmpi-4.1/iallreduce[:ALGORITHM]", "1 ring, 2 binomial, 3 Rabenseifner, 4 doubling"},
      CatalogueLine{"openmpi-4.1/ireduce[:ALGORITHM][+root=R]", "1 chain, 2 binomial, 3 Rabenseifner"},
      CatalogueLine{"openmpi-4.1/allreduce+han", "within each host, then between hosts; +sm in shared memory"},
      CatalogueLine{"openmpi-4.1/reduce+adapt", "children as they come: not guaranteed"},
  };
  return all;
}

}  // namespace petri::order::openmpi
