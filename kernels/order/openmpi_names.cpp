#include "kernels/order/openmpi_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>

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
