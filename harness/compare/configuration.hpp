// One way in which a reduction can be made, and the dimensions in which two such ways may differ.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/sums.hpp"
#include "kernels/types/element_type.hpp"

namespace petri::compare {

enum class Dimension : std::uint8_t {
  algorithm,
  library,
  chunking,
  accumulator,
  kernel,
  ranks,
  layout,
  type,
  execution,  // predicted, or measured
};
inline constexpr std::array kDimensions{Dimension::algorithm,   Dimension::library, Dimension::chunking,
                                        Dimension::accumulator, Dimension::kernel,  Dimension::ranks,
                                        Dimension::layout,      Dimension::type,    Dimension::execution};

std::string_view name_of(Dimension dimension);  // "algorithm", "library version", "channels, pieces, arity or seed" …

struct Configuration {
  std::string order = {};                         // its name in the catalogue (kernels/order/catalogue.hpp); or
  std::optional<kernels::SumKernel> kernel = {};  // one rank has all contributions, and sums them by this kernel
  std::int32_t ranks = 1;
  ElementType type = ElementType::float32;
  std::string layout = {};               // e.g. "2x4": hosts, and ranks of each; empty: one host
  std::vector<std::int32_t> hosts = {};  // of the ranks, as order::Shape has them
  bool measured = false;                 // on a real job; else predicted

  // "ring:2", "kernel exact" or "openmpi-4.1/reduce:5, measured".
  std::string how() const;
};

// Where two configurations of equal values are alike in this dimension: "" for what a configuration does not have.
// An order's name is taken apart: "nccl-2.30/ring:2@float32" is version 2.30, algorithm nccl/ring, chunking 2,
// accumulator float32.
std::string value_of(const Configuration& configuration, Dimension dimension);

std::vector<Dimension> differences(const Configuration& one, const Configuration& other);

}  // namespace petri::compare
