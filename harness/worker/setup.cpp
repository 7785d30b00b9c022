#include "harness/worker/setup.hpp"

#include "harness/worker/group.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {

void make_communicators(const Scenario& scenario, std::int32_t rank, Holdings& holdings) {
  std::int32_t tag = kSetupTag;
  for (const std::int32_t index : communicators_made_at_start(scenario)) {
    const Communicator& comm = scenario.comms[static_cast<std::size_t>(index)];
    const std::int32_t own_tag = tag++;
    if (comm.group_rank_of(rank) < 0) continue;
    const Group group(MPI_COMM_WORLD, comm.ranks);
    // Through the recorder, which must know the communicator.
    MPI_Comm_create_group(MPI_COMM_WORLD, group.get(), own_tag, &holdings.comm(index));
  }
}

}  // namespace petri
