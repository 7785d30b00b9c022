// Windows: MPI 4.1, section 12.5. Fences and the making and freeing of windows are collectives.
#include <algorithm>

#include "tests/model/reference_state.hpp"

namespace petri::test::reference {
namespace {

std::int32_t window(const Facts& facts, const Event& event) {
  return facts.number_of("window " + event.extras.win());
}
Rank target(const Facts& facts, EventRef ref) {
  const Event& event = facts.event(ref);
  return facts.peer(event.comm, ref.rank, event.extras.target().value_or(-1));
}
std::vector<Rank> named_ranks(const Facts& facts, EventRef ref) {
  std::vector<Rank> ranks;
  for (const std::int32_t group_rank : facts.event(ref).extras.ranks())
    ranks.push_back(facts.peer(facts.event(ref).comm, ref.rank, group_rank));
  return ranks;
}

// The locks that a call of this rank is about: the one on its target, or all.
std::vector<Lock> own_locks(const Facts& facts, const State& state, EventRef ref, bool all) {
  std::vector<Lock> own;
  for (const Lock& lock : state.locks)
    if (lock.origin == ref.rank && lock.win == window(facts, facts.event(ref)) &&
        (all || lock.target == target(facts, ref)))
      own.push_back(lock);
  return own;
}

bool all_granted(const std::vector<Lock>& locks) {
  return std::all_of(locks.begin(), locks.end(), [](const Lock& lock) { return lock.granted; });
}

bool has_own(const std::vector<Epoch>& epochs, std::int32_t win, Rank origin) {
  return std::any_of(epochs.begin(), epochs.end(),
                     [&](const Epoch& epoch) { return epoch.win == win && epoch.origin == origin; });
}

// Every origin of the exposure has called complete.
bool exposure_over(const Facts& facts, const State& state, EventRef ref) {
  return std::all_of(state.exposures.begin(), state.exposures.end(), [&](const Epoch& exposure) {
    return exposure.target != ref.rank || exposure.win != window(facts, facts.event(ref)) ||
           std::binary_search(state.completed.begin(), state.completed.end(), exposure);
  });
}

bool names_all(Op op) {
  return op == Op::win_lock_all || op == Op::win_unlock_all || op == Op::win_flush_all || op == Op::win_flush_local_all;
}

bool fetches(Op op) {
  return op == Op::rget || op == Op::rget_accumulate;
}

// "Distinct access epochs for a window at the same process must be disjoint", and so must exposure epochs (section
// 12.5); a process may not lock a target twice (section 12.5.3); a call that ends an epoch needs one.
bool is_erroneous(const Facts& facts, const State& state, EventRef ref) {
  const Event& event = facts.event(ref);
  const std::int32_t win = window(facts, event);
  const bool locked = !own_locks(facts, state, ref, names_all(event.op)).empty();
  const bool accessing = has_own(state.starts, win, ref.rank) || has_own(state.accesses, win, ref.rank);
  const bool exposing = std::any_of(state.exposures.begin(), state.exposures.end(), [&](const Epoch& exposure) {
    return exposure.win == win && exposure.target == ref.rank;
  });
  switch (event.op) {
    case Op::win_post: return exposing;
    case Op::win_start: return accessing;
    case Op::win_complete: return !accessing;
    case Op::win_wait:
    case Op::win_test: return !exposing;
    case Op::win_lock:
    case Op::win_lock_all: return locked;
    case Op::win_unlock:
    case Op::win_unlock_all:
    case Op::win_flush:
    case Op::win_flush_all:
    case Op::win_flush_local:
    case Op::win_flush_local_all: return !locked;
    default: return false;
  }
}

}  // namespace

void begin_window_call(const Facts& facts, State& state, EventRef ref, Owner owner) {
  const Event& event = facts.event(ref);
  const std::int32_t win = window(facts, event);
  if (is_erroneous(facts, state, ref)) state.erroneous = true;
  switch (event.op) {
    case Op::win_post:
      for (const Rank origin : named_ranks(facts, ref)) {
        add(state.posts, {win, ref.rank, origin});
        add(state.exposures, {win, ref.rank, origin});
      }
      break;
    case Op::win_start:
      for (const Rank exposed : named_ranks(facts, ref)) add(state.starts, {win, exposed, ref.rank});
      break;
    case Op::win_lock: {
      const bool exclusive = event.extras.lock() == "exclusive";
      if (target(facts, ref) >= 0) add(state.locks, {win, target(facts, ref), ref.rank, exclusive, false});
      break;
    }
    case Op::win_lock_all:
      for (const Rank member : facts.members(event.comm)) add(state.locks, {win, member, ref.rank, false, false});
      break;
    default:
      if (fetches(event.op)) state.fetches.push_back({owner, win, target(facts, ref)});
  }
}

// A start meets a post of the target that names it; nothing else can come between, so it may meet at once.
void match_epochs(State& state) {
  for (const Epoch& start : std::vector<Epoch>(state.starts))
    if (take(state.posts, start)) {
      take(state.starts, start);
      add(state.accesses, start);
    }
}

// "MPI_WIN_START can block until the corresponding MPI_WIN_POST calls have been executed" or the complete can (section
// 12.5.2), and likewise a lock or the first call that needs it (section 12.5.3). A wait needs the completes.
bool window_call_done(const Facts& facts, const State& state, EventRef ref) {
  const Event& event = facts.event(ref);
  switch (event.op) {
    case Op::win_start: return !facts.strict() || !has_own(state.starts, window(facts, event), ref.rank);
    case Op::win_complete: return !has_own(state.starts, window(facts, event), ref.rank);
    case Op::win_test:
      if (event.flag != 1) return true;
      [[fallthrough]];
    case Op::win_wait: return exposure_over(facts, state, ref);
    case Op::win_lock:
    case Op::win_lock_all: return !facts.strict() || all_granted(own_locks(facts, state, ref, names_all(event.op)));
    case Op::win_unlock:
    case Op::win_unlock_all:
    case Op::win_flush:
    case Op::win_flush_all:
    case Op::win_flush_local:
    case Op::win_flush_local_all: return all_granted(own_locks(facts, state, ref, names_all(event.op)));
    default: return true;
  }
}

void leave_window_call(const Facts& facts, State& state, EventRef ref) {
  const Event& event = facts.event(ref);
  const std::int32_t win = window(facts, event);
  if (event.op == Op::win_complete)
    for (const Epoch& access : std::vector<Epoch>(state.accesses))
      if (access.win == win && access.origin == ref.rank) {
        take(state.accesses, access);
        add(state.completed, access);
      }
  if (event.op == Op::win_wait || (event.op == Op::win_test && event.flag == 1))
    for (const Epoch& exposure : std::vector<Epoch>(state.exposures))
      if (exposure.win == win && exposure.target == ref.rank) {
        take(state.exposures, exposure);
        take(state.completed, exposure);
      }
  if (event.op == Op::win_unlock || event.op == Op::win_unlock_all)
    for (const Lock& lock : own_locks(facts, state, ref, names_all(event.op))) take(state.locks, lock);
}

// Locks that may be granted: shared beside shared, otherwise alone (section 12.5.3). In any order: nothing promises
// fairness.
std::vector<std::size_t> grantable(const State& state) {
  std::vector<std::size_t> locks;
  for (std::size_t i = 0; i < state.locks.size(); ++i) {
    const Lock& one = state.locks[i];
    const bool barred = std::any_of(state.locks.begin(), state.locks.end(), [&](const Lock& held) {
      return held.granted && held.win == one.win && held.target == one.target && (held.exclusive || one.exclusive);
    });
    if (!one.granted && !barred) locks.push_back(i);
  }
  return locks;
}

bool fetches_done(const State& state, Owner owner) {
  return std::none_of(state.fetches.begin(), state.fetches.end(), [&](const Fetch& fetch) {
    return fetch.owner == owner && std::any_of(state.locks.begin(), state.locks.end(), [&](const Lock& lock) {
             return lock.win == fetch.win && lock.target == fetch.target && lock.origin == owner.first && !lock.granted;
           });
  });
}

}  // namespace petri::test::reference
