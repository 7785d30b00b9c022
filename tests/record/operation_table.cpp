// Prints for each operation of a scenario whether a program that calls it was recorded with it: the evidence is in what
// the programs of `record_operations` leave, recorded and imported here and now. Columns that other evidence fills stay
// empty.
#include <fmt/format.h>

#include <array>
#include <set>

#include "tests/record/recorded.hpp"

namespace {

using namespace petri;

struct Run {
  int ranks;
  const char* program;
};

constexpr Run kRuns[] = {
    {2, "blocking_messages"},
    {2, "nonblocking_messages"},
    {2, "ready_and_buffered"},
    {2, "some_and_any"},
    {2, "polls"},
    {2, "matched_probes"},
    {2, "persistent_requests"},
    {3, "collectives"},
    {3, "nonblocking_collectives"},
    {4, "communicators"},
    {3, "intercommunicators"},
    {4, "grid"},
    {3, "graphs"},
    {2, "windows"},
    {2, "post_start_complete_wait"},
    {2, "locks"},
    {2, "one_sided"},
    {2, "file_states"},
    {2, "file_access"},
    {2, "split_file_access"},
    {2, "spawns"},
    {2, "port"},
    {3, "persistent_collectives"},
    {3, "persistent_neighbors"},
    {2, "mpi4_calls"},
    {2, "partitioned_messages"},
    {2, "from_groups"},
    {2, "two_threads"},
    {2, "aborts"},
};

// What no call of MPI makes.
bool is_of_mpi(Op op) {
  const OpKind kind = kind_of(op);
  const std::string_view name = name_of(op);
  const bool nccl = name == "comm_init_rank" || name == "comm_init_all" || name == "comm_finalize" ||
                    name == "comm_destroy" || name == "comm_abort";
  return kind != OpKind::host && kind != OpKind::device && !nccl && op != Op::exit;
}

}  // namespace

int main() {
  std::set<Op> recorded;
  for (const auto& [ranks, program] : kRuns)
    for (const RankTrace& rank : test::record(ranks, program).ranks)
      for (const Event& event : rank.events) recorded.insert(event.op);
  int of_mpi = 0, seen = 0;
  fmt::print("| operation | recorded (C) | recorded (Fortran) | modelled | replayed |\n|---|---|---|---|---|\n");
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    if (!is_of_mpi(op)) continue;
    const bool yes = recorded.contains(op);
    ++of_mpi;
    seen += yes;
    fmt::print("| {} | {} | | | |\n", name_of(op), yes ? "yes" : "no");
  }
  fmt::print("\n{} of {} operations of MPI were recorded\n", seen, of_mpi);
}
