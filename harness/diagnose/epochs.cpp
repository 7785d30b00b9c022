// Calls on a window that its open epochs do not allow (MPI 4.1, section 12.5).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/in_progress.hpp"

namespace petri::diagnosis {
namespace {

bool asserts(const Event& event, std::string_view what) {
  return event.extras.assertions().find(what) != std::string::npos;
}

// What one rank has open on one window, in its program order.
class Epochs {
 public:
  // What is wrong with this call, in words; empty where it is allowed. Updates what is open.
  std::string perform(const Event& event) {
    if (kind_of(event.op) == OpKind::rma) return access(event);
    switch (event.op) {
      case Op::win_fence: return fence(event);
      case Op::win_start: return start(event);
      case Op::win_complete: return close(started_, "no win_start has opened an access epoch");
      case Op::win_post: return open(posted_, "an exposure epoch is open already");
      case Op::win_wait: return close(posted_, "no win_post has opened an exposure epoch");
      case Op::win_test: return test(event);
      case Op::win_lock: return lock(event);
      case Op::win_lock_all: return lock_all();
      case Op::win_unlock: return unlock(event);
      case Op::win_unlock_all: return close(locked_all_, "no win_lock_all is open");
      case Op::win_flush:
      case Op::win_flush_local: return locked(event) ? "" : "no lock is held at this target";
      case Op::win_flush_all:
      case Op::win_flush_local_all: return locked_all_ || !locks_.empty() ? "" : "no lock is held";
      case Op::win_free: return free();
      default: return "";
    }
  }
  // No lock is held, and no start or post is open.
  bool quiet() const { return !started_ && !posted_ && !locked_all_ && locks_.empty(); }

 private:
  static std::string open(bool& flag, const char* wrong) { return std::exchange(flag, true) ? wrong : ""; }
  static std::string close(bool& flag, const char* wrong) { return std::exchange(flag, false) ? "" : wrong; }

  bool locked(const Event& event) const {
    return locked_all_ || !event.extras.target() || locks_.count(*event.extras.target()) != 0;
  }

  std::string access(const Event& event) {
    const auto target = event.extras.target();
    if (!target || *target == kNull || locked(event)) return "";
    // "Request-based RMA operations … may be used only within passive target epochs" (MPI 4.1, section 12.3.5).
    const bool by_request = form_of(event.op) == OpForm::nonblocking;
    if (by_request && (fenced_ || started_)) return "no lock is held, which an access with a request needs";
    if (fenced_) {
      unclosed_ = unclosed_ || !started_;
      return "";
    }
    if (!started_) return "no epoch is open";
    const bool named = std::find(group_.begin(), group_.end(), *target) != group_.end();
    return named ? "" : "the open win_start does not name this target";
  }

  // "… only after it has completed its involvement in RMA communications" (MPI 4.1, section 12.2.5).
  std::string free() const {
    if (!quiet()) return "an epoch is still open";
    return unclosed_ ? kUnclosed : "";
  }

  std::string fence(const Event& event) {
    unclosed_ = false;
    fenced_ = !asserts(event, "nosucceed");
    if (started_ || posted_) return "an epoch of win_start or win_post is open";
    return locked_all_ || !locks_.empty() ? "a lock is held" : "";
  }

  std::string start(const Event& event) {
    group_ = event.extras.ranks();
    if (unclosed_) return kUnclosed;
    if (locked_all_ || !locks_.empty()) return "a lock is held";
    return open(started_, "an access epoch is open already");
  }

  std::string test(const Event& event) {
    if (!posted_) return "no win_post has opened an exposure epoch";
    if (event.flag == 1) posted_ = false;
    return "";
  }

  std::string lock(const Event& event) {
    if (!event.extras.target() || *event.extras.target() == kNull) return "";
    if (unclosed_) return kUnclosed;
    if (started_) return "an access epoch of win_start is open";
    if (locked_all_) return "win_lock_all is open";
    return locks_.insert(*event.extras.target()).second ? "" : "this target is locked already";
  }

  std::string lock_all() {
    if (unclosed_) return kUnclosed;
    if (started_) return "an access epoch of win_start is open";
    if (!locks_.empty()) return "a lock is held";
    return open(locked_all_, "win_lock_all is open already");
  }

  std::string unlock(const Event& event) {
    if (!event.extras.target() || *event.extras.target() == kNull) return "";
    return locks_.erase(*event.extras.target()) != 0 ? "" : "no lock is held at this target";
  }

  static constexpr const char* kUnclosed = "no win_fence has completed its accesses";
  // An access since the last fence, which makes that an access epoch: those of one window at one process are disjoint
  // (MPI 4.1, section 12.5).
  bool unclosed_ = false;
  bool fenced_ = false, started_ = false, posted_ = false, locked_all_ = false;
  std::set<std::int32_t> locks_;
  std::vector<std::int32_t> group_;  // of the open start
};

Fault fault_of(const Scenario& scenario, EventRef ref, const std::string& wrong) {
  const Event& event = at(scenario, ref);
  Finding finding;
  finding.kind = Verdict::misuse;
  finding.culprits = {ref.rank};
  finding.events = {ref};
  finding.expected =
      kind_of(event.op) == OpKind::rma ? "an access inside an epoch" : "a call that the open epochs allow";
  finding.actual = fmt::format("rank {}: {}, and {}", ref.rank, event_text(scenario, event), wrong);
  finding.text =
      fmt::format("Rank {} calls {} ({}), but {}.", ref.rank, event_text(scenario, event), place_text(event), wrong);
  return {{finding}, fmt::format("{}@0 {}", name_of(event.op), wrong), false, {ref}};
}

}  // namespace

std::vector<Fault> find_epoch_faults(const Scenario& scenario, const model::Run& run) {
  std::vector<Fault> faults;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    if (run.truncated[static_cast<std::size_t>(rank)]) continue;  // what was open before is not known
    std::map<std::string, Epochs> windows;
    std::set<std::string> told;
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const EventRef ref{rank, index};
      if (events[index].extras.empty() || events[index].extras.win().empty() || !reached(scenario, run, ref)) continue;
      const std::string& win = events[index].extras.win();
      const std::string wrong = windows[win].perform(events[index]);
      // What follows the first wrong call on a window may only follow from it; what follows its release is no matter of
      // epochs.
      if (!wrong.empty() && told.insert(win).second) faults.push_back(fault_of(scenario, ref, wrong));
      if (events[index].op == Op::win_free) told.insert(win);
      if (creates(events[index].op)) windows.erase(win), told.erase(win);
    }
  }
  return faults;
}

}  // namespace petri::diagnosis
