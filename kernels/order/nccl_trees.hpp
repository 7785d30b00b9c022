// The association trees of NCCL's algorithms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/order/nccl.hpp"
#include "kernels/order/tree.hpp"

namespace petri::order::nccl {

// Along a ring from position `first` on, each rank adding what comes in to its own.
Tree ring_tree(std::span<const std::int32_t> ring, std::size_t first);

// The first or the second tree over the hosts, with the chains inside them. `chains` holds the ranks of each host.
Tree host_tree(const std::vector<std::vector<std::int32_t>>& chains, HostTree pattern, bool second);

// The tree of PAT for the block of rank 0; for that of rank d all ranks are shifted by d. Needs a power of two.
Tree pat_tree(std::int32_t ranks, std::int32_t aggregation);

// How many steps PAT aggregates in a channel of `channel_bytes`, sent in chunks of `chunk_bytes`.
std::int32_t pat_aggregation(std::int32_t ranks, std::uint64_t channel_bytes, std::uint64_t chunk_bytes);

}  // namespace petri::order::nccl
