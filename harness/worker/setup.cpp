#include "harness/worker/setup.hpp"

#include <algorithm>

#include "harness/worker/group.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {
namespace {

bool contains(const std::vector<std::int32_t>& ranks, std::int32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Through the recorder, which must know the communicator.
MPI_Comm make_group(const std::vector<std::int32_t>& ranks, std::int32_t tag) {
  MPI_Comm made = MPI_COMM_NULL;
  const Group group(MPI_COMM_WORLD, ranks);
  MPI_Comm_create_group(MPI_COMM_WORLD, group.get(), tag, &made);
  return made;
}

}  // namespace

void make_communicators(const Scenario& scenario, std::int32_t rank, Holdings& holdings) {
  std::int32_t tag = kSetupTag;
  for (const std::int32_t index : communicators_made_at_start(scenario)) {
    const Communicator& comm = scenario.comms[static_cast<std::size_t>(index)];
    const std::int32_t own_tag = tag++;
    const bool here = contains(comm.ranks, rank);
    if (!here && !contains(comm.remote, rank)) continue;
    MPI_Comm own = make_group(here ? comm.ranks : comm.remote, own_tag);
    if (comm.is_inter()) {
      const MPI_Comm side = own;
      MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, (here ? comm.remote : comm.ranks).front(), own_tag, &own);
    }
    holdings.comm(index) = own;
  }
}

}  // namespace petri
