#include "harness/diagnose/conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/diagnose/causal_order.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/touched_bytes.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::uint32_t kNotYet = 0xffffffff;

// What decides whether two accesses of the same bytes may meet.
struct Kind {
  enum Way : std::uint8_t { reads, writes, accumulates, reads_atomically, swaps };
  Way way = reads;
  ReduceOp op = ReduceOp::unknown;  // of an accumulate
  ElementType type = ElementType::unknown;
  auto operator<=>(const Kind&) const = default;
};

Kind kind_of_access(const Event& event) {
  const std::string_view family = info(event.op).family;
  if (family == "put") return {Kind::writes};
  if (family == "get") return {Kind::reads};
  if (family == "compare_and_swap") return {Kind::swaps};
  if (event.reduce == ReduceOp::no_op) return {Kind::reads_atomically};
  return {Kind::accumulates, event.reduce, event.dtype};
}

// Concurrent accumulates use the same operation, or only read (MPI 4.1, section 12.2.1: accumulate_ops); those of one
// origin at one target are ordered (section 12.7.2).
bool spoils(const Kind& one, const Kind& other, bool same_origin) {
  const auto only_reads = [](const Kind& kind) {
    return kind.way == Kind::reads || kind.way == Kind::reads_atomically;
  };
  if (only_reads(one) && only_reads(other)) return false;
  if (one.way == Kind::writes || other.way == Kind::writes) return true;
  if (one.way == Kind::reads || other.way == Kind::reads) return true;
  if (one.way != Kind::accumulates || other.way != Kind::accumulates || same_origin) return false;
  const bool known = one.op != ReduceOp::unknown && other.op != ReduceOp::unknown;
  const bool typed = one.type != ElementType::unknown && other.type != ElementType::unknown;
  return (known && one.op != other.op) || (typed && one.type != other.type);
}

// How a rank may access a target: inside an epoch that all take part in, or under a lock.
enum class Mode : std::uint8_t { none, active, shared_lock, exclusive_lock };

struct Access {
  Moment began;
  std::int32_t target = 0;  // global rank
  std::int64_t begin = 0, end = 0;
  Kind kind;
  Mode mode = Mode::none;
  std::uint32_t complete = kNotYet;  // tick of the call that completes it
  std::uint32_t looked = 0;          // tick at which its origin last read memory that others may have written
};

// What one rank has open on one window.
struct Epochs {
  bool active = false, lock_all = false;
  std::map<std::int32_t, bool> locks;  // by target as the call names it: exclusive
  std::vector<std::uint32_t> open;     // accesses that are not complete
};

struct Origin {
  std::map<std::string, Epochs> windows;
  std::map<std::uint32_t, std::uint32_t> requests;  // accesses by request
  std::uint32_t looked = 0;                         // see Access
  bool looking = false;                             // a read is not complete
};

class Search {
 public:
  Search(const Scenario& scenario, const model::Run& run)
      : scenario_(scenario), run_(run), origins_(scenario.ranks.size()), watches_(scenario.ranks.size(), false) {
    for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
      for (const Event& event : scenario.ranks[static_cast<std::size_t>(rank)].events)
        note_locks_and_targets(event, rank);
    place_of_.assign(scenario.ranks.size(), 0);
    for (const std::int32_t rank : tracked_) {
      place_of_[static_cast<std::size_t>(rank)] = ranks_.size();
      ranks_.push_back(rank);
    }
  }

  std::vector<Fault> find() {
    replay_in_causal_order(scenario_, run_, ranks_, [this](const Moment& moment) { see(moment); });
    return std::move(faults_);
  }

 private:
  void note_locks_and_targets(const Event& event, std::int32_t rank) {
    if (event.op == Op::win_lock && event.extras.lock() != "shared") exclusive_.insert(event.extras.win());
    const bool looks = event.op == Op::win_lock || event.op == Op::win_lock_all || event.op == Op::win_sync;
    if (looks || kind_of(event.op) == OpKind::rma) tracked_.insert(rank);
    const bool reads = info(event.op).family == "get" || event.reduce == ReduceOp::no_op;
    if (kind_of(event.op) != OpKind::rma || reads) return;
    const std::int32_t target = target_of(event, rank);
    if (target < 0 || target == rank) return;
    watches_[static_cast<std::size_t>(target)] = true;
    tracked_.insert(target);
  }

  std::int32_t target_of(const Event& event, std::int32_t rank) const {
    if (!event.extras.target() || !run_.gatherings.members_known(event.comm)) return -1;
    const std::int32_t member = run_.gatherings.peer_index(event.comm, rank, *event.extras.target());
    return member < 0 ? -1 : run_.gatherings.ranks_of(event.comm)[static_cast<std::size_t>(member)];
  }

  void see(const Moment& moment) {
    const Event& event = at(scenario_, moment.at);
    Origin& origin = origins_[static_cast<std::size_t>(moment.at.rank)];
    const OpKind kind = petri::kind_of(event.op);
    if (kind == OpKind::wait || kind == OpKind::test) see_completion(event, moment, origin);
    if (kind == OpKind::window) see_window_call(event, moment, origin);
    if (kind == OpKind::rma) see_access(event, moment, origin);
  }

  // A request of a read is complete when its value is there; others say nothing of the target (MPI 4.1,
  // section 12.3.5).
  void see_completion(const Event& event, const Moment& moment, Origin& origin) {
    if (origin.looking) origin.looked = moment.tick;
    for (const std::uint32_t request : model::requests_of(event)) {
      const auto found = origin.requests.find(request);
      if (found == origin.requests.end()) continue;
      if (accesses_[found->second].kind.way == Kind::reads) accesses_[found->second].complete = moment.tick;
    }
  }

  void see_window_call(const Event& event, const Moment& moment, Origin& origin) {
    Epochs& epochs = origin.windows[event.extras.win()];
    const std::int32_t named = event.extras.target().value_or(kNull);
    const std::int32_t target = target_of(event, moment.at.rank);
    if (origin.looking) origin.looked = moment.tick;
    switch (event.op) {
      case Op::win_start: epochs.active = true; return;
      case Op::win_lock: epochs.locks[named] = event.extras.lock() != "shared"; return see_lock(event, moment, origin);
      case Op::win_lock_all: epochs.lock_all = true; return see_lock(event, moment, origin);
      case Op::win_sync: origin.looked = moment.tick; return;
      case Op::win_post:
      case Op::win_wait:
      case Op::win_test: return;
      case Op::win_flush_local: return complete(epochs, moment, target, true);
      case Op::win_flush_local_all: return complete(epochs, moment, std::nullopt, true);
      case Op::win_flush: return complete(epochs, moment, target, false);
      case Op::win_unlock: epochs.locks.erase(named); return complete(epochs, moment, target, false);
      case Op::win_unlock_all: epochs.lock_all = false; break;
      case Op::win_fence: epochs.active = true; break;
      default: break;
    }
    origin.looking = false;
    complete(epochs, moment, std::nullopt, false);
  }

  // Whoever waits for a lock learns that it was given back.
  void see_lock(const Event& event, const Moment& moment, Origin& origin) {
    if (exclusive_.contains(event.extras.win())) origin.looked = moment.tick;
  }

  // A local flush completes what is read only: it says nothing of the target.
  void complete(Epochs& epochs, const Moment& moment, std::optional<std::int32_t> target, bool local) {
    std::erase_if(epochs.open, [&](std::uint32_t number) {
      Access& access = accesses_[number];
      if ((target && access.target != *target) || (local && access.kind.way != Kind::reads)) return false;
      access.complete = std::min(access.complete, moment.tick);
      return true;
    });
  }

  static Mode mode_of(const Epochs& epochs, std::int32_t target) {
    if (const auto lock = epochs.locks.find(target); lock != epochs.locks.end())
      return lock->second ? Mode::exclusive_lock : Mode::shared_lock;
    if (epochs.lock_all) return Mode::shared_lock;
    return epochs.active ? Mode::active : Mode::none;
  }

  void see_access(const Event& event, const Moment& moment, Origin& origin) {
    Access access;
    access.began = moment;
    access.kind = kind_of_access(event);
    access.target = target_of(event, moment.at.rank);
    access.looked = origin.looked;
    Epochs& epochs = origin.windows[event.extras.win()];
    access.mode = mode_of(epochs, event.extras.target().value_or(kNull));
    const bool returns_value = info(event.op).family != "put" && info(event.op).family != "accumulate";
    if (returns_value) origin.looking = true, origin.looked = moment.tick;
    const auto size = static_cast<std::int64_t>(size_of(event.dtype));
    const bool single = event.op == Op::fetch_and_op || event.op == Op::compare_and_swap;
    const std::int64_t count = single ? 1 : event.count;
    const bool known = access.target >= 0 && event.extras.disp() && size > 0 && count > 0 &&
                       count < (std::int64_t{1} << 40) && access.mode != Mode::none;
    if (!known) return;
    access.begin = *event.extras.disp();
    access.end = access.begin + count * size;
    const auto number = static_cast<std::uint32_t>(accesses_.size());
    accesses_.push_back(access);
    epochs.open.push_back(number);
    if (form_of(event.op) == OpForm::nonblocking) origin.requests[event.request] = number;
    compare(number, event.extras.win());
  }

  void compare(std::uint32_t number, const std::string& window) {
    const Access& now = accesses_[number];
    const std::int32_t rank = now.began.at.rank;
    memory_[{window, now.target}].touch(
        now.begin, now.end, now.kind, rank, number, [&](const Kind& kind) { return spoils(kind, now.kind, false); },
        [&](std::uint32_t other) {
          const Access& then = accesses_[other];
          // What meets the earlier one meets a later write, too.
          if (is_before(then, now)) return now.kind.way != Kind::writes;
          if (spoils(then.kind, now.kind, then.began.at.rank == rank) && are_concurrent(then, now))
            tell(then, now, window);
          return true;
        });
  }

  // How many events of the rank that one had heard of.
  std::uint32_t heard(const Access& one, std::int32_t rank) const {
    return (*one.began.known)[place_of_[static_cast<std::size_t>(rank)]];
  }

  bool is_before(const Access& then, const Access& now) const {
    if (then.complete == kNotYet) return false;
    return then.began.at.rank == now.began.at.rank || heard(now, then.began.at.rank) >= then.complete;
  }

  // No lock keeps them apart, and neither origin can have seen in memory what the other one did.
  bool are_concurrent(const Access& then, const Access& now) const {
    const auto passive = [](const Access& one) { return one.mode != Mode::active; };
    if (then.began.at.rank == now.began.at.rank) return true;
    if (passive(then) != passive(now)) return false;
    if (!passive(then)) return true;
    if (then.mode == Mode::exclusive_lock || now.mode == Mode::exclusive_lock) return false;
    return !may_have_seen(now, then) && !may_have_seen(then, now);
  }
  // Somebody whose memory the earlier access may have changed, or who read some, and of whom the later one had heard.
  bool may_have_seen(const Access& later, const Access& earlier) const {
    for (const std::int32_t rank : ranks_) {
      const auto slot = static_cast<std::size_t>(rank);
      const bool itself = rank == later.began.at.rank;
      if (rank == earlier.began.at.rank) continue;
      const std::uint32_t before = heard(earlier, rank);
      const std::uint32_t known = itself ? later.began.tick : heard(later, rank);
      const std::uint32_t looked = itself ? later.looked : origins_[slot].looked;
      if (known > before && (watches_[slot] || looked > before)) return true;
    }
    return false;
  }

  void tell(const Access& then, const Access& now, const std::string& window) {
    const Access& first = std::min(then.began.at, now.began.at) == then.began.at ? then : now;
    const Access& second = &first == &then ? now : then;
    const Event& one = at(scenario_, first.began.at);
    const Event& other = at(scenario_, second.began.at);
    const bool same_origin = first.began.at.rank == second.began.at.rank;
    std::string names[] = {std::string(name_of(one.op)), std::string(name_of(other.op))};
    std::sort(std::begin(names), std::end(names));
    const std::string form =
        fmt::format("{}@0 {} {}", names[0], same_origin ? "spoils its own" : "meets another's", names[1]);
    if (!told_.emplace(window, form).second) return;
    const std::int64_t begin = std::max(first.begin, second.begin), end = std::min(first.end, second.end);
    Finding finding;
    finding.kind = Verdict::misuse;
    finding.culprits = {first.began.at.rank};
    if (!same_origin) finding.culprits.push_back(second.began.at.rank);
    finding.events = {first.began.at, second.began.at};
    finding.expected = "accesses of the same bytes one after the other, with a synchronization between them";
    finding.actual = fmt::format("rank {}: {}; rank {}: {}", first.began.at.rank, event_text(scenario_, one),
                                 second.began.at.rank, event_text(scenario_, other));
    finding.text =
        fmt::format("{} access the same memory of rank {} in {}, and nothing orders them: {} ({}) and {} ({}).",
                    same_origin ? fmt::format("Two calls of rank {}", first.began.at.rank)
                                : fmt::format("Ranks {} and {}", first.began.at.rank, second.began.at.rank),
                    first.target, window, event_text(scenario_, one), place_text(one), event_text(scenario_, other),
                    place_text(other));
    finding.evidence.push_back(fmt::format("both touch bytes {} to {}", begin, end - 1));
    faults_.push_back({{std::move(finding)}, form});
  }

  const Scenario& scenario_;
  const model::Run& run_;
  std::vector<Origin> origins_;
  std::vector<bool> watches_;        // by rank: others write into its memory, which it may read unseen
  std::set<std::int32_t> tracked_;   // ranks that read or change memory, and those in whose memory it is changed
  std::vector<std::int32_t> ranks_;  // the same, as clocks hold them; and the place there, by rank
  std::vector<std::size_t> place_of_;
  std::set<std::string> exclusive_;  // windows on which somebody asks for an exclusive lock
  std::vector<Access> accesses_;
  std::map<std::pair<std::string, std::int32_t>, TouchedBytes<Kind>> memory_;  // by window and target
  std::set<std::pair<std::string, std::string>> told_;
  std::vector<Fault> faults_;
};

bool writes_a_window(const Scenario& scenario) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [](const RankTrace& rank) {
    return std::any_of(rank.events.begin(), rank.events.end(), [](const Event& event) {
      return kind_of(event.op) == OpKind::rma && event.extras.disp() && kind_of_access(event).way != Kind::reads;
    });
  });
}

}  // namespace

std::vector<Fault> find_conflicts(const Scenario& scenario, const model::Run& run) {
  if (!writes_a_window(scenario) || !has_causal_order(scenario, run)) return {};
  return Search(scenario, run).find();
}

}  // namespace petri::diagnosis
