#include "harness/worker/perform.hpp"

#include <array>
#include <initializer_list>

namespace petri {
namespace {

std::array<Performer, 256> all_performers() {
  std::array<Performer, 256> performers{};
  for (const auto table : {point_to_point_table(), probe_table(), completion_table(), collective_table(),
                           communicator_table(), intercommunicator_table(), topology_table(), window_table(),
                           rma_table(), file_table(), host_table(), mpi4_table()}) {
    for (const PerformerRow& row : table) performers[static_cast<std::size_t>(row.op)] = row.perform;
  }
  return performers;
}

}  // namespace

Performer performer_of(Op op) {
  static const auto performers = all_performers();
  return performers[static_cast<std::size_t>(op)];
}

}  // namespace petri
