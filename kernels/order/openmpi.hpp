// The reduction orders of Open MPI 4.1: which contributions each algorithm combines, in which order, with which operand
// on which side, and in which calls of the operation. Read from the library's sources (ompi/mca/coll of v4.1.4), and
// held against the library itself, bit for bit, by tests/kernels/openmpi-orders.
//
// Orders are keyed by version: others have other trees, other segments and another choice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/order/order.hpp"

namespace petri::order::openmpi {

enum class Collective : std::uint8_t { allreduce, reduce, reduce_scatter, reduce_scatter_block, iallreduce, ireduce };
// As they stand in an order's name, and in names of parameters.
inline constexpr std::array<std::string_view, 6> kCollectiveNames{
    "allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "iallreduce", "ireduce"};

// The component of ompi/mca/coll that the priorities select. `usual`: tuned for blocking calls, libnbc for the others.
// What sm, han and adapt do not do themselves is done by the usual ones.
enum class Component : std::uint8_t { usual, sm, han, adapt };

// One call of a program, and what the library's parameters say about it.
struct Invocation {
  Collective collective = Collective::allreduce;
  Component component = Component::usual;
  // As numbered by coll_tuned_…_algorithm, coll_libnbc_…_algorithm and coll_adapt_reduce_algorithm. 0: none is forced.
  std::int32_t algorithm = 0;
  std::int32_t root = 0;                   // of reduce and ireduce
  std::uint64_t segment_bytes = 0;         // coll_tuned_…_algorithm_segmentsize, where the algorithm is forced
  std::int32_t fanout = 4;                 // coll_tuned_reduce_algorithm_chain_fanout, where the algorithm is forced
  bool commutative = true;                 // as MPI_Op_create was told
  bool in_place = false;                   // MPI_IN_PLACE: on all ranks, or at the root
  std::vector<std::uint64_t> counts = {};  // elements of each rank's block of reduce_scatter; empty: as even as can be
};

// The version that was measured.
inline constexpr std::string_view kMeasured = "4.1";

// "4.1" for what MPI_Get_library_version says of a release of that series; nothing for other libraries.
std::optional<std::string> version_of(std::string_view library_version);

// The order over the whole vector, also where each rank gets a block of the result only. Nothing for a version whose
// orders were not measured, for an algorithm that it does not have, and where the invocation is not one that the shape
// allows: a root outside, counts that do not add up, blocks that are not equal. adapt combines in the order of arrival:
// what is returned is `not_guaranteed`, the order in which children are asked.
std::optional<Order> order_of(std::string_view version, const Invocation& invocation, const Shape& shape);

// The number of algorithms that can be forced: 1 to this.
std::int32_t algorithms(Collective collective, Component component = Component::usual);

}  // namespace petri::order::openmpi
