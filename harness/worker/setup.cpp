#include "harness/worker/setup.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "harness/worker/file.hpp"
#include "harness/worker/group.hpp"
#include "harness/worker/plan/files.hpp"
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

// The memory of all dynamic windows, and where each member's lies: a replay's addresses are not the record's.
void place_dynamic_windows(const Scenario& scenario, std::int32_t rank, const std::map<std::string, WindowPlan>& plans,
                           Holdings& holdings) {
  const auto world = static_cast<std::size_t>(scenario.world());
  for (const auto& [name, plan] : plans) {
    if (!plan.dynamic) continue;
    Window& window = holdings.window(name);
    const Communicator& comm = scenario.comms[static_cast<std::size_t>(plan.comm)];
    const std::int32_t me = comm.group_rank_of(rank);
    MPI_Aint here = 0;
    if (me >= 0) {
      window.memory.resize(static_cast<std::size_t>(plan.bytes[static_cast<std::size_t>(me)]));
      PMPI_Get_address(window.memory.data(), &here);
    }
    std::vector<MPI_Aint> everywhere(world);
    MPI_Allgather(&here, 1, MPI_AINT, everywhere.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    for (const std::int32_t global : comm.ranks) window.bases.push_back(everywhere[static_cast<std::size_t>(global)]);
  }
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

void make_windows(const Scenario& scenario, std::int32_t rank, Holdings& holdings) {
  const std::map<std::string, WindowPlan> plans = windows_of(scenario);
  for (const auto& [name, plan] : plans) holdings.window(name).plan = plan;
  place_dynamic_windows(scenario, rank, plans, holdings);
  for (const auto& [name, plan] : plans) {
    const std::int32_t me = scenario.comms[static_cast<std::size_t>(plan.comm)].group_rank_of(rank);
    if (plan.created || me < 0) continue;
    void* base = nullptr;
    MPI_Win_allocate(static_cast<MPI_Aint>(plan.bytes[static_cast<std::size_t>(me)]), 1, MPI_INFO_NULL,
                     holdings.comm(plan.comm), &base, &holdings.window(name).handle);
  }
}

void open_files(const Scenario& scenario, const std::filesystem::path& folder, std::int32_t rank, Holdings& holdings) {
  for (const auto& [name, plan] : files_of(scenario)) {
    if (plan.opened || scenario.comms[static_cast<std::size_t>(plan.comm)].group_rank_of(rank) < 0) continue;
    open_file(holdings.comm(plan.comm), folder / plan.name, MPI_MODE_CREATE | MPI_MODE_RDWR, &holdings.file(name));
  }
}

}  // namespace petri
