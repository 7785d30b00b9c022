// Windows and their synchronization, MPI 4.1 sections 12.2 and 12.5.
#include "harness/record/comm_objects.hpp"
#include "harness/record/creation.hpp"
#include "harness/record/handles.hpp"

using namespace petri;
using namespace petri::record;

namespace {

// Each member says what displacements in its memory count.
template <class Create>
int make_window(Op op, const void* site, MPI_Comm comm, const MPI_Win* win, std::int64_t disp_unit,
                const Create& create, const void* memory = nullptr, MPI_Aint bytes = 0) {
  Call call(op, site, comm);
  call.writes(memory, bytes, handles.byte);
  return make_object(call, windows, win, &CommEntry::windows, [&] {
    if (call.active() && call.comm() != nullptr) {
      WindowFact fact{};
      fact.comm = call.comm()->id;
      fact.ordinal = call.slot().result;
      fact.disp_unit = disp_unit;
      write_fact(FactKind::window, &fact, sizeof fact, nullptr, 0);
    }
    return create();
  });
}

// What is in MPI's assertion argument (MPI 4.1, section 12.5.5), in the record's own bits.
std::int32_t assertion_bits(int assertions) {
  const auto bit = [assertions](int theirs, std::int32_t ours) { return (assertions & theirs) != 0 ? ours : 0; };
  return bit(MPI_MODE_NOCHECK, kNoCheck) | bit(MPI_MODE_NOSTORE, kNoStore) | bit(MPI_MODE_NOPUT, kNoPut) |
         bit(MPI_MODE_NOPRECEDE, kNoPrecede) | bit(MPI_MODE_NOSUCCEED, kNoSucceed);
}

void describe_assertions(Call& call, int assertions) {
  if (call.active()) call.slot().tag = assertion_bits(assertions);
}

void describe_target(Call& call, int target) {
  if (call.active()) call.slot().matched = rank_value(target);
}

// In ranks of the window's group, which is that of its communicator.
void describe_group(Call& call, MPI_Group group, MPI_Win win) {
  MPI_Group all;
  if (!call.active() || real::Win_get_group(win, &all) != MPI_SUCCESS) return;
  describe_members(call, group, all);
  real::Group_free(&all);
}

// A call that waits for others with nothing to say but the window and, where there is one, the target.
template <class Synchronize>
int synchronize(Op op, const void* site, MPI_Win win, const Synchronize& go) {
  Call call(op, site);
  describe_object(call, windows, win);
  call.begin();
  return call.end(go());
}

template <class Synchronize>
int synchronize_target(Op op, const void* site, MPI_Win win, int target, const Synchronize& go) {
  Call call(op, site);
  describe_object(call, windows, win);
  describe_target(call, target);
  call.begin();
  return call.end(go());
}

}  // namespace

PETRI_MPI(Win_create)(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return make_window(
      Op::win_create, PETRI_SITE, comm, win, disp_unit,
      [=] { return real::Win_create(base, size, disp_unit, info, comm, win); }, base, size);
}

PETRI_MPI(Win_allocate)(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return make_window(Op::win_allocate, PETRI_SITE, comm, win, disp_unit,
                     [=] { return real::Win_allocate(size, disp_unit, info, comm, baseptr, win); });
}

PETRI_MPI(Win_allocate_shared)
(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return make_window(Op::win_allocate_shared, PETRI_SITE, comm, win, disp_unit,
                     [=] { return real::Win_allocate_shared(size, disp_unit, info, comm, baseptr, win); });
}

// Displacements in a dynamic window are addresses.
PETRI_MPI(Win_create_dynamic)(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return make_window(Op::win_create_dynamic, PETRI_SITE, comm, win, 1,
                     [=] { return real::Win_create_dynamic(info, comm, win); });
}

PETRI_MPI(Win_free)(MPI_Win* win) {
  Call call(Op::win_free, PETRI_SITE);
  CommObject* window = describe_object(call, windows, *win);
  return run(call, window, [=] {
    if (window != nullptr) {
      const Locked locked;
      windows.forget(*win);
    }
    return real::Win_free(win);
  });
}

PETRI_MPI(Win_fence)(int assertions, MPI_Win win) {
  Call call(Op::win_fence, PETRI_SITE);
  CommObject* window = describe_object(call, windows, win);
  describe_assertions(call, assertions);
  return run(call, window, [=] { return real::Win_fence(assertions, win); });
}

PETRI_MPI(Win_post)(MPI_Group group, int assertions, MPI_Win win) {
  Call call(Op::win_post, PETRI_SITE);
  describe_object(call, windows, win);
  describe_assertions(call, assertions);
  describe_group(call, group, win);
  call.begin();
  return call.end(real::Win_post(group, assertions, win));
}

PETRI_MPI(Win_start)(MPI_Group group, int assertions, MPI_Win win) {
  Call call(Op::win_start, PETRI_SITE);
  describe_object(call, windows, win);
  describe_assertions(call, assertions);
  describe_group(call, group, win);
  call.begin();
  return call.end(real::Win_start(group, assertions, win));
}

PETRI_MPI(Win_complete)(MPI_Win win) {
  return synchronize(Op::win_complete, PETRI_SITE, win, [=] { return real::Win_complete(win); });
}

PETRI_MPI(Win_wait)(MPI_Win win) {
  return synchronize(Op::win_wait, PETRI_SITE, win, [=] { return real::Win_wait(win); });
}

// Polls are recorded after the call, since they do not block: a failed one joins the event of those before it.
PETRI_MPI(Win_test)(MPI_Win win, int* flag) {
  if (!records_here()) return real::Win_test(win, flag);
  const auto describe = [=](Call& call) {
    if (describe_object(call, windows, win) != nullptr) call.slot().count = call.slot().result;
  };
  const auto begin = [=] {
    Call call(Op::win_test, PETRI_SITE);
    describe(call);
    call.begin();
  };
  const int result = before_event(begin, [=] { return real::Win_test(win, flag); });
  const bool failed = result == MPI_SUCCESS && *flag == 0;
  const auto key = reinterpret_cast<std::uintptr_t>(win);
  if (failed && count_failed_poll(Op::win_test, key)) return result;
  Call call(Op::win_test, PETRI_SITE);
  describe(call);
  if (failed) {
    remember_failed_poll(Op::win_test, key, call.number());
    return call.end_failed_poll(result);
  }
  call.flag(*flag != 0);
  call.begin();
  return call.end(result);
}

PETRI_MPI(Win_lock)(int lock_type, int rank, int assertions, MPI_Win win) {
  Call call(Op::win_lock, PETRI_SITE);
  describe_object(call, windows, win);
  describe_target(call, rank);
  describe_assertions(call, assertions);
  if (call.active()) call.slot().tag |= lock_type == MPI_LOCK_EXCLUSIVE ? kLockExclusive : kLockShared;
  call.begin();
  return call.end(real::Win_lock(lock_type, rank, assertions, win));
}

PETRI_MPI(Win_lock_all)(int assertions, MPI_Win win) {
  Call call(Op::win_lock_all, PETRI_SITE);
  describe_object(call, windows, win);
  describe_assertions(call, assertions);
  call.begin();
  return call.end(real::Win_lock_all(assertions, win));
}

PETRI_MPI(Win_unlock)(int rank, MPI_Win win) {
  return synchronize_target(Op::win_unlock, PETRI_SITE, win, rank, [=] { return real::Win_unlock(rank, win); });
}

PETRI_MPI(Win_unlock_all)(MPI_Win win) {
  return synchronize(Op::win_unlock_all, PETRI_SITE, win, [=] { return real::Win_unlock_all(win); });
}

PETRI_MPI(Win_flush)(int rank, MPI_Win win) {
  return synchronize_target(Op::win_flush, PETRI_SITE, win, rank, [=] { return real::Win_flush(rank, win); });
}

PETRI_MPI(Win_flush_all)(MPI_Win win) {
  return synchronize(Op::win_flush_all, PETRI_SITE, win, [=] { return real::Win_flush_all(win); });
}

PETRI_MPI(Win_flush_local)(int rank, MPI_Win win) {
  return synchronize_target(Op::win_flush_local, PETRI_SITE, win, rank,
                            [=] { return real::Win_flush_local(rank, win); });
}

PETRI_MPI(Win_flush_local_all)(MPI_Win win) {
  return synchronize(Op::win_flush_local_all, PETRI_SITE, win, [=] { return real::Win_flush_local_all(win); });
}

PETRI_MPI(Win_sync)(MPI_Win win) {
  return synchronize(Op::win_sync, PETRI_SITE, win, [=] { return real::Win_sync(win); });
}
