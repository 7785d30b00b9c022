// Windows and their synchronization (MPI 4.1, sections 12.2 and 12.5).
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/group.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/plan/words.hpp"

namespace petri {
namespace {

constexpr int kBytes = 1;  // what displacements count in

int assertions_of(const Event& event) {
  int assertions = 0;
  for (const std::string& word : words_of(event.extras.assertions())) {
    if (word == "nocheck") assertions |= MPI_MODE_NOCHECK;
    if (word == "nostore") assertions |= MPI_MODE_NOSTORE;
    if (word == "noput") assertions |= MPI_MODE_NOPUT;
    if (word == "noprecede") assertions |= MPI_MODE_NOPRECEDE;
    if (word == "nosucceed") assertions |= MPI_MODE_NOSUCCEED;
  }
  return assertions;
}

int target_of(const Event& event) {
  return mpi_rank(event.extras.target().value_or(0));
}

// How much of the window lies here.
MPI_Aint part_of(Replayer& replayer, const Event& event) {
  const WindowPlan& plan = replayer.window(event).plan;
  const int me = replayer.scenario().comm_of(event).group_rank_of(replayer.rank());
  return me < 0 ? 0 : static_cast<MPI_Aint>(plan.bytes.at(static_cast<std::size_t>(me)));
}

void perform_create(Replayer& replayer, const Event& event) {
  Window& window = replayer.window(event);
  window.memory.resize(static_cast<std::size_t>(part_of(replayer, event)));
  MPI_Win_create(window.memory.data(), static_cast<MPI_Aint>(window.memory.size()), kBytes, MPI_INFO_NULL,
                 replayer.comm_of(event), &window.handle);
}

void perform_create_dynamic(Replayer& replayer, const Event& event) {
  Window& window = replayer.window(event);
  MPI_Win_create_dynamic(MPI_INFO_NULL, replayer.comm_of(event), &window.handle);
  if (!window.memory.empty())
    MPI_Win_attach(window.handle, window.memory.data(), static_cast<MPI_Aint>(window.memory.size()));
}

template <int (*call)(MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*)>
void perform_allocate(Replayer& replayer, const Event& event) {
  void* base = nullptr;
  call(part_of(replayer, event), kBytes, MPI_INFO_NULL, replayer.comm_of(event), &base, &replayer.window(event).handle);
}

// After these calls no access of this rank is under way any more: to one target, or to all.
template <int (*call)(int, MPI_Win)>
void perform_with_target(Replayer& replayer, const Event& event) {
  Window& window = replayer.window(event);
  call(target_of(event), window.handle);
  window.release(target_of(event));
}

template <int (*call)(MPI_Win)>
void perform_with_all(Replayer& replayer, const Event& event) {
  Window& window = replayer.window(event);
  call(window.handle);
  window.release_all();
}

void perform_free(Replayer& replayer, const Event& event) {
  Window& window = replayer.window(event);
  MPI_Win_free(&window.handle);
  window.release_all();
}

void perform_fence(Replayer& replayer, const Event& event) {
  Window& window = replayer.window(event);
  MPI_Win_fence(assertions_of(event), window.handle);
  window.release_all();
}

template <int (*call)(MPI_Group, int, MPI_Win)>
void perform_with_group(Replayer& replayer, const Event& event) {
  const Group group(replayer.comm_of(event), event.extras.ranks());
  call(group.get(), assertions_of(event), replayer.window(event).handle);
}

void perform_test(Replayer& replayer, const Event& event) {
  poll_as_recorded(replayer, event, [&] {
    int flag = 0;
    MPI_Win_test(replayer.window(event).handle, &flag);
    return flag != 0;
  });
}

// The exposure's end and a memory barrier: accesses of this rank go on.
template <int (*call)(MPI_Win)>
void perform_plain(Replayer& replayer, const Event& event) {
  call(replayer.window(event).handle);
}

void perform_lock(Replayer& replayer, const Event& event) {
  const int kind = event.extras.lock() == "exclusive" ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
  MPI_Win_lock(kind, target_of(event), assertions_of(event), replayer.window(event).handle);
}

void perform_lock_all(Replayer& replayer, const Event& event) {
  MPI_Win_lock_all(assertions_of(event), replayer.window(event).handle);
}

constexpr std::array kTable{
    PerformerRow{Op::win_create, perform_create},
    PerformerRow{Op::win_create_dynamic, perform_create_dynamic},
    PerformerRow{Op::win_allocate, perform_allocate<MPI_Win_allocate>},
    PerformerRow{Op::win_allocate_shared, perform_allocate<MPI_Win_allocate_shared>},
    PerformerRow{Op::win_free, perform_free},
    PerformerRow{Op::win_fence, perform_fence},
    PerformerRow{Op::win_post, perform_with_group<MPI_Win_post>},
    PerformerRow{Op::win_start, perform_with_group<MPI_Win_start>},
    PerformerRow{Op::win_complete, perform_with_all<MPI_Win_complete>},
    PerformerRow{Op::win_wait, perform_plain<MPI_Win_wait>},
    PerformerRow{Op::win_test, perform_test},
    PerformerRow{Op::win_lock, perform_lock},
    PerformerRow{Op::win_unlock, perform_with_target<MPI_Win_unlock>},
    PerformerRow{Op::win_lock_all, perform_lock_all},
    PerformerRow{Op::win_unlock_all, perform_with_all<MPI_Win_unlock_all>},
    PerformerRow{Op::win_flush, perform_with_target<MPI_Win_flush>},
    PerformerRow{Op::win_flush_all, perform_with_all<MPI_Win_flush_all>},
    PerformerRow{Op::win_flush_local, perform_with_target<MPI_Win_flush_local>},
    PerformerRow{Op::win_flush_local_all, perform_with_all<MPI_Win_flush_local_all>},
    PerformerRow{Op::win_sync, perform_plain<MPI_Win_sync>},
};

}  // namespace

std::span<const PerformerRow> window_table() {
  return kTable;
}

}  // namespace petri
