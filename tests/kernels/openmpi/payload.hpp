// Contributions that every process can make for itself: a value is a function of seed, rank and element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/order/evaluate.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri::openmpi_orders {

enum class Kind : std::uint8_t {
  spread,      // of many magnitudes: nearly every order has bits of its own
  cancelling,  // pairs of ranks cancel but for a little
  special,     // NaN with the rank in its payload, both zeros, infinities, a few small numbers
};
inline constexpr std::array<std::string_view, 3> kKindNames{"spread", "cancelling", "special"};

struct Payload {
  ElementType type = ElementType::float32;
  ReduceOp op = ReduceOp::sum;  // factors are near 1
  Kind kind = Kind::spread;
  std::uint64_t seed = 1;
};

order::Contribution contribution_of(const Payload& payload);

}  // namespace petri::openmpi_orders
