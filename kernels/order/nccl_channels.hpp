// How NCCL spreads the elements of an operation over channels, and cuts those of a channel into chunks.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/order/nccl.hpp"

namespace petri::order::nccl {

struct ChannelPart {
  std::int32_t channel = 0;
  std::uint64_t first = 0, count = 0;  // elements
  bool operator==(const ChannelPart&) const = default;
};

// `count` elements of `size` bytes: those of one rank's block in a reduce-scatter, else all. In ascending order.
std::vector<ChannelPart> channel_parts(const Version& version, const Choice& choice, std::int32_t ranks,
                                       std::uint64_t count, std::uint64_t size);

// Elements of a chunk in a channel that moves `bytes` for all ranks together.
std::uint64_t chunk_elements(const Choice& choice, std::uint64_t bytes, std::uint64_t size);

}  // namespace petri::order::nccl
