// The reduction orders of NCCL, from its sources.
//
//   nccl-VERSION/[COLLECTIVE/]ALGORITHM[/PROTOCOL][:CHANNELS]
//
//   COLLECTIVE  allreduce (where none is named), reduce (to rank 0), reduce-scatter
//   ALGORITHM   ring; tree (allreduce); pat (reduce-scatter); symmetric-ll, symmetric-ld (not reduce): on registered
//               memory; nvls, nvls-tree, collnet-chain, collnet-direct, symmetric-mc: `not_guaranteed`
//   PROTOCOL    simple (where none is named), ll, ll128: of ring and tree
//   CHANNELS    that the operation is spread over, 1 where none is named; blocks of a symmetric kernel
//
// E.g. "nccl-2.30/ring:4", "nccl-2.30/allreduce/tree/ll128:2", "nccl-2.28/reduce-scatter/pat". Of a reduce-scatter the
// order is that of the whole vector, block d of which rank d ends with; a count that is no multiple of the ranks counts
// as the next one, since its caller must pad it.
//
// What the sources say, file by file. Read were 2.28.3, 2.29.2, and for 2.30 commit 51c58fd, between 2.29.7 and 2.31.2;
// nothing was run. The cells of 2.28 are also those in the code of libnccl 2.28.9.
//
// - Ring allreduce (src/device/all_reduce.h, runRing): a pass covers `ranks` chunks; chunk c begins at ring position
//   c+1 and ends at c, positions counted from rank 0. Chunks of a pass that is not full are ceil(rest / ranks)
//   elements, aligned up to 16 bytes. Reduce (reduce.h) begins after the root, reduce-scatter (reduce_scatter.h) after
//   the rank that gets the block.
// - Tree (all_reduce.h, runTreeSplit): ((own + first) + second) + third, alike in all protocols (prims_simple.h,
//   genericOp; prims_ll.h, LLGenericOp; prims_ll128.h, recvReduceSendCopy). The first child is the next rank of the
//   chain inside the host, then come the hosts below (src/graph/connect.cc: ncclTopoPreset, setTreeDown, connectTrees).
//   Hosts form two binary trees (src/graph/trees.cc): the second mirrors the first, or is shifted by one where their
//   number is odd.
// - Channels (src/enqueue.cc, scheduleCollTasksToPlan; src/include/device.h, ncclCollCbdPart): contiguous parts, whole
//   cells but for the last one. The largest chunk is a connection's buffer over NCCL_STEPS (calcCollChunking).
// - PAT (src/include/collectives.h, PatRSAlgorithm; prims_simple.h, patReduce): for the block of rank d a binomial tree
//   on (d - rank) mod ranks, whose children come in an order that depends on how many steps are aggregated.
// - Symmetric kernels (src/device/symmetric): LL folds ranks 0, 1, …; LD folds from the rank that owns the elements on.
//   Ranks take turns at 2 KiB, at 512 bytes of what is left, and at 32 elements of the rest, with buffers aligned to 16
//   bytes. Kernels that use the tensor memory accelerator (compute capability 10.0) take turns at other sizes.
// - NVLS and symmetric-mc reduce in the switch, CollNet in the network: no source defines their order. The order here
//   is then one of those that are possible, and `not_guaranteed`.
//
// Operands: a rank's own contribution is the left side. In LL and LL128 the device has it on the right; in the
// arithmetic of kernels/cpu/nccl_ops.hpp the sides are alike.
//
// What no source fixes, because NCCL searches the machine for it, and what a Choice takes as given: the rings and the
// chain inside a host (in ascending order unless given), how the children of a host are attached to its ranks, and the
// number of channels. NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING prints all of them ("Channel 00/02 : 0 1
// 2 3", "Trees [0] 1/-1/-1->0->-1", "channel{Lo..Hi}={0..1}").
//
// A run on devices is checked against an order so:
// - NCCL_ALGO and NCCL_PROTO force the algorithm and protocol, e.g. NCCL_ALGO=allreduce:ring, NCCL_PROTO=LL;
// - NCCL_MIN_NCHANNELS = NCCL_MAX_NCHANNELS = N fixes the channels of the communicator, NCCL_SYM_CTAS the blocks of a
//   symmetric kernel. Small operations still use fewer channels, and the tree of a channel depends on how many were
//   searched: the lines above say both;
// - NCCL_GRAPH_FILE fixes rings and trees; NCCL_NVLS_ENABLE=0 and NCCL_COLLNET_ENABLE=0 rule out what nothing defines,
//   NCCL_WIN_ENABLE=0 symmetric kernels;
// - one collective at a time, since the operations of a group share channels, and no tuner plugin, which may change
//   channels and chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/order/catalogue.hpp"

namespace petri::order::nccl {

enum class Collective : std::uint8_t { allreduce, reduce, reduce_scatter };

enum class Algorithm : std::uint8_t {
  ring,
  tree,
  pat,
  symmetric_ll,
  symmetric_ld,
  nvls,
  nvls_tree,
  collnet_chain,
  collnet_direct,
  symmetric_multicast,
};

enum class Protocol : std::uint8_t { simple, ll, ll128 };

// To which ranks of a host's chain its two children are attached; its parent is always attached to the first one
// (NCCL_TOPO_PATTERN_*). With one rank on a host there is no choice.
enum class HostTree : std::uint8_t {
  first,     // both to the first rank: PATTERN_TREE
  balanced,  // the first child to the second rank, the second to the first: PATTERN_BALANCED_TREE, tried before others
  second,    // both to the second rank: PATTERN_SPLIT_TREE
};

struct Choice {
  Collective collective = Collective::allreduce;
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::int32_t channels = 1;               // that the operation may use
  std::int32_t communicator_channels = 0;  // that there are; 0: as many
  std::int32_t search_channels = 0;        // before they are doubled for the second tree; 0: half of those there are
  std::int32_t root = 0;                   // of a reduce
  // The ring of each channel as ranks, beginning anywhere, in turns; empty: one ring, by hosts and ranks.
  std::vector<std::vector<std::int32_t>> rings = {};
  // All ranks; those of a host in the order of its chain. Empty: ascending.
  std::vector<std::int32_t> chain = {};
  HostTree host_tree = HostTree::balanced;
  std::uint64_t buffer = 0;  // bytes of a connection (NCCL_BUFFSIZE, NCCL_LL_BUFFSIZE, NCCL_LL128_BUFFSIZE); 0: default
};

// What changed between versions.
struct Version {
  std::string_view name;        // e.g. "2.30"
  std::uint64_t least_traffic;  // bytes over the links that make a cell
  bool least_for_each_channel;  // no channel's share is below that
  bool symmetric_average;       // symmetric kernels have an average, in a reduce-scatter
};

std::span<const Version> versions();  // in ascending order

// Nothing for a combination that NCCL does not have. Needs a ring and chain that hold each rank once.
std::optional<Order> order_of(const Version& version, const Choice& choice, const Shape& shape);

// What `what` names, see above; the newest version stands for one that is not known.
std::optional<Reduction> reduction(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op);
NameProblem problem(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op);
std::span<const CatalogueLine> lines();

}  // namespace petri::order::nccl
