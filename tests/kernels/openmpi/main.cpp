// Holds the predicted bits of Open MPI's reductions against those that the library computes.
//
//   mpirun -n 17 --oversubscribe [--mca …] openmpi_orders COLLECTIVE few|all|borders [RANKS…]
//
// The library's own parameters say which component and algorithm is in force. For each number of ranks (2 to the
// world's size unless told), a line "ranks=… type=… op=… cells=… unequal=… varying=…" for each type and operation, and
// one "unequal …" for each cell that is not equal. Exit status 77: the orders of this library's version were not
// measured.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>

#include "kernels/mpi/openmpi_settings.hpp"
#include "tests/kernels/openmpi/caller.hpp"

namespace petri::openmpi_orders {
namespace {

using order::Order;
using order::openmpi::Collective;
using order::openmpi::Invocation;

constexpr int kSkipped = 77;
constexpr unsigned kLongestRun = 3000;  // seconds until a rank ends itself, should nobody do so

struct Tally {
  int cells = 0, unequal = 0;
  int varying = 0;  // unequal, where the library leaves the order to arrival
};

void print_unequal(const Caller& caller, const Cell& cell, const Outcome& outcome, int rank) {
  const Order order = caller.order_for(cell);
  std::string tree = text_of(tree_of(order, static_cast<std::uint64_t>(outcome.element)));
  if (tree.size() > 200) tree = tree.substr(0, 200) + "…";
  std::printf(
      "unequal ranks=%d %s: element %" PRId64 " (seen by rank %d): predicted %" PRIx64 ", measured %" PRIx64 ", %s\n",
      caller.ranks(), cell.text().c_str(), outcome.element, rank, outcome.predicted, outcome.measured, tree.c_str());
}

// Whether all ranks of a communicator have what was predicted. Prints those that have not.
bool all_equal(const Caller& caller, const Cell& cell, std::size_t index, std::size_t cells,
               const std::vector<Outcome>& all, bool print) {
  for (int rank = 0; rank < caller.ranks(); ++rank) {
    const Outcome& outcome = all[static_cast<std::size_t>(rank) * cells + index];
    if (outcome.element < 0 && outcome.hash == all[index].hash) continue;
    if (print && outcome.element >= 0) print_unequal(caller, cell, outcome, rank);
    if (print && outcome.element < 0)
      std::printf("unequal ranks=%d %s: rank %d has another result than rank 0\n", caller.ranks(), cell.text().c_str(),
                  rank);
    return false;
  }
  return true;
}

// All outcomes of one communicator, on its rank 0.
void report(const Caller& caller, const std::vector<Cell>& cells, const std::vector<Outcome>& all) {
  std::map<std::pair<ElementType, ReduceOp>, Tally> tallies;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    Tally& tally = tallies[{cells[c].payload.type, cells[c].payload.op}];
    ++tally.cells;
    const bool guaranteed = caller.order_for(cells[c]).determinism != order::Determinism::not_guaranteed;
    if (all_equal(caller, cells[c], c, cells.size(), all, guaranteed)) continue;
    ++(guaranteed ? tally.unequal : tally.varying);
  }
  for (const auto& [what, tally] : tallies)
    std::printf("ranks=%d type=%s op=%s cells=%d unequal=%d varying=%d\n", caller.ranks(),
                std::string(name_of(what.first)).c_str(), std::string(name_of(what.second)).c_str(), tally.cells,
                tally.unequal, tally.varying);
  std::fflush(stdout);
}

void run_cells(MPI_Comm comm, const Invocation& base, Extent extent) {
  Caller caller(comm);
  const std::vector<Cell> cells = cells_of(base, caller.ranks(), extent);
  std::vector<Outcome> outcomes;
  for (const Cell& cell : cells) outcomes.push_back(caller.outcome_of(cell));
  std::vector<Outcome> all(outcomes.size() * static_cast<std::size_t>(caller.ranks()));
  const int bytes = static_cast<int>(outcomes.size() * sizeof(Outcome));
  MPI_Gather(outcomes.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) report(caller, cells, all);
}

// Ranks that have nothing left to do leave the processors to the others.
void wait_without_spinning() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) usleep(5000);
  }
}

void run_all(const Invocation& base, Extent extent, std::vector<int> sizes) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::sort(sizes.rbegin(), sizes.rend());
  std::vector<MPI_Comm> comms;
  for (const int size : sizes) {
    comms.push_back(MPI_COMM_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comms.back());
  }
  for (MPI_Comm& comm : comms) {
    if (comm == MPI_COMM_NULL) continue;
    run_cells(comm, base, extent);
    MPI_Comm_free(&comm);
  }
  wait_without_spinning();
}

int run(int argc, char** argv) {
  static constexpr auto& collectives = order::openmpi::kCollectiveNames;
  static constexpr std::string_view extents[] = {"few", "all", "borders"};
  const auto collective =
      argc > 1 ? std::find(std::begin(collectives), std::end(collectives), argv[1]) : std::end(collectives);
  const auto extent = argc > 2 ? std::find(std::begin(extents), std::end(extents), argv[2]) : std::end(extents);
  if (collective == std::end(collectives) || extent == std::end(extents)) {
    std::fprintf(stderr, "usage: openmpi_orders COLLECTIVE few|all|borders [RANKS...]\n");
    return 2;
  }
  int rank = 0, world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  if (mpi::library_series() != order::openmpi::kMeasured) {
    if (rank == 0) std::printf("skipped: the orders of this library's version were not measured\n");
    return kSkipped;
  }
  std::vector<int> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::clamp(std::atoi(argv[i]), 2, world));
  for (int size = 2; size <= world && argc < 4; ++size) sizes.push_back(size);
  run_all(mpi::invocation_in_force(static_cast<Collective>(collective - std::begin(collectives))),
          static_cast<Extent>(extent - std::begin(extents)), sizes);
  return 0;
}

}  // namespace
}  // namespace petri::openmpi_orders

int main(int argc, char** argv) {
  alarm(petri::openmpi_orders::kLongestRun);
  int provided = 0;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  const int status = petri::openmpi_orders::run(argc, argv);
  MPI_T_finalize();
  MPI_Finalize();
  return status;
}
