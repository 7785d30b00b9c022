#include "harness/model/machine.hpp"

#include <algorithm>

#include "harness/model/op_rules.hpp"
#include "harness/model/release.hpp"

namespace petri::model {
namespace {

constexpr std::size_t kOps = 256;

bool ends_dead(EndKind end) {
  return end == EndKind::exited || end == EndKind::aborted || end == EndKind::signal;
}

}  // namespace

Machine::Machine(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script)
    : scenario_(scenario),
      assumptions_(assumptions),
      script_(script),
      run_(scenario),
      ranks_(scenario.ranks.size()),
      unmodelled_(kOps, false) {
  run_.standing.assign(ranks_.size(), Standing::blocked);
  run_.index.assign(ranks_.size(), 0);
  for (const RankTrace& rank : scenario.ranks) run_.truncated.push_back(rank.end.dropped > 0);
}

Run Machine::execute() {
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) wake(rank);
  do {
    drain();
  } while (resolve_as_recorded() || resolve_by_choice(false) || follow_record() || resolve_by_choice(true));
  finish();
  return std::move(run_);
}

void Machine::wake(std::int32_t rank) {
  Rank& one = state(rank);
  if (one.queued || one.over) return;
  one.queued = true;
  queue_.push_back(rank);
}

void Machine::drain() {
  while (!queue_.empty()) {
    const std::int32_t rank = queue_.front();
    queue_.pop_front();
    state(rank).queued = false;
    advance(rank);
  }
}

void Machine::advance(std::int32_t rank) {
  Rank& one = state(rank);
  const auto& events = trace(rank).events;
  while (!one.over && one.pc < events.size()) {
    const Event& event = events[one.pc];
    if (!one.entered) {
      one.entered = true;
      one.current = Pending{};
      enter(rank, event);
      if (one.over) return;
    }
    if (!one.forced && !can_leave(rank, event)) return;
    leave(rank, event);
  }
  if (!one.over) reach_end(rank);
}

void Machine::enter(std::int32_t rank, const Event& event) {
  if (!judged(event)) {
    if (!unmodelled_[static_cast<std::size_t>(event.op)]) run_.unmodelled.push_back({rank, state(rank).pc});
    unmodelled_[static_cast<std::size_t>(event.op)] = true;
  } else if (kind_of(event.op) == OpKind::world) {
    enter_world(rank, event);
  } else if (place_unknown(rank, event)) {
    return stop(rank, Standing::unknown);
  } else {
    post(rank, event);
  }
  const bool dies_inside = is_last(rank) && event.state == EventState::started && ends_dead(trace(rank).end.kind);
  if (dies_inside && !state(rank).over) stop(rank, Standing::dead);
}

void Machine::enter_world(std::int32_t rank, const Event& event) {
  if (event.op == Op::finalize) enter_finalize(rank);
  if (event.op == Op::abort) stop(rank, Standing::dead);
  if (event.op == Op::exit) stop(rank, state(rank).finalizing ? Standing::finished : Standing::dead);
}

void Machine::enter_finalize(std::int32_t rank) {
  if (std::exchange(state(rank).finalizing, true)) return;
  if (++in_finalize_ < scenario_.world()) return;
  for (std::int32_t other = 0; other < scenario_.world(); ++other) wake(other);
}

// Is this a call whose effect on others is known? Without the members of a communicator its ranks have no meaning.
bool Machine::judged(const Event& event) const {
  const OpKind kind = kind_of(event.op);
  const bool on_comm = kind == OpKind::send || kind == OpKind::recv || kind == OpKind::sendrecv ||
                       kind == OpKind::probe || kind == OpKind::collective || kind == OpKind::comm_create ||
                       kind == OpKind::comm_free;
  return is_modelled(event) && (!on_comm || run_.gatherings.members_known(event.comm));
}

// A persistent request begins anew, with the arguments of the call that made it (MPI 4.1, section 3.9). What a wildcard
// got differs from start to start, so the start says it.
void Machine::start(std::int32_t rank, const Event& event) {
  Rank& one = state(rank);
  for (const std::uint32_t request : requests_of(event)) {
    const auto init = one.inits.find(request);
    if (init == one.inits.end()) continue;
    Event call = at(scenario_, init->second);
    if (event.matched != kUnset) call.matched = event.matched;
    Pending pending;
    pending.posted = init->second;
    if (kind_of(call.op) == OpKind::send) post_send(call, pending.posted, pending);
    if (kind_of(call.op) == OpKind::recv) post_recv(call, pending.posted, pending);
    one.requests[request] = pending;
  }
}

// A cancelled request completes, with or without its message (MPI 4.1, section 3.8.4).
void Machine::cancel(std::int32_t rank, const Event& event) {
  const auto found = state(rank).requests.find(event.request);
  if (found == state(rank).requests.end()) return;
  Pending& pending = found->second;
  if (pending.send != kNone) pending.cancelled = mail_.withdraw_send(pending.send);
  if (pending.recv != kNone) pending.cancelled = mail_.withdraw_recv(pending.recv);
}

void Machine::post(std::int32_t rank, const Event& event) {
  Rank& one = state(rank);
  if (form_of(event.op) == OpForm::persistent) {
    one.inits[event.request] = {rank, one.pc};
    return;
  }
  if (kind_of(event.op) == OpKind::start) start(rank, event);
  if (event.op == Op::cancel) cancel(rank, event);
  Pending pending;
  pending.posted = {rank, one.pc};
  const OpKind kind = kind_of(event.op);
  if (kind == OpKind::send || kind == OpKind::sendrecv) post_send(event, pending.posted, pending);
  if (takes_message(event)) post_recv(event, pending.posted, pending);
  if (kind == OpKind::collective || kind == OpKind::comm_create || kind == OpKind::comm_free)
    arrive(rank, event, pending.posted, pending);
  if (event.op == Op::request_free) one.requests.erase(event.request), one.inits.erase(event.request);
  if (form_of(event.op) == OpForm::nonblocking && event.request != kNoRequest && kind != OpKind::test)
    one.requests[event.request] = pending;
  one.current = pending;
  announce_matches();
}

void Machine::post_send(const Event& event, EventRef ref, Pending& pending) {
  const Half half = send_half(event);
  const auto size = static_cast<std::int32_t>(run_.gatherings.ranks_of(event.comm).size());
  if (half.peer < 0 || half.peer >= size) return;  // MPI_PROC_NULL, or not recorded: nothing to wait for
  Post post;
  post.at = ref;
  post.comm = event.comm;
  post.source = run_.gatherings.group_rank(event.comm, ref.rank);
  post.dest = half.peer;
  post.tag = half.tag;
  const std::int64_t bytes = bytes_of(half);
  const bool small = assumptions_.buffered &&
                     (*assumptions_.buffered == kUnlimited || (bytes >= 0 && bytes <= *assumptions_.buffered));
  pending.send_buffered = !is_synchronous_send(event.op) && (small || is_buffered_send(event.op));
  pending.send = mail_.post_send(post);
  wake(global(event.comm, half.peer));  // it may be probing
}

void Machine::post_recv(const Event& event, EventRef ref, Pending& pending) {
  const Half half = recv_half(event);
  const auto size = static_cast<std::int32_t>(run_.gatherings.ranks_of(event.comm).size());
  if (half.peer != kAny && (half.peer < 0 || half.peer >= size)) return;
  Post post;
  post.at = ref;
  post.comm = event.comm;
  post.source = half.peer;
  post.dest = run_.gatherings.group_rank(event.comm, ref.rank);
  post.tag = half.tag;
  if (half.peer == kAny) post.prefer = event.matched;
  pending.recv = mail_.post_recv(post);
}

void Machine::arrive(std::int32_t, const Event& event, EventRef ref, Pending& pending) {
  pending.gathering = run_.gatherings.arrive(ref);
  const Gathering& gathering = run_.gatherings[pending.gathering];
  const bool early_leavers = assumptions_.buffered.has_value() && kind_of(event.op) == OpKind::collective;
  if (gathering.missing != 0 && !early_leavers) return;
  for (const std::int32_t member : run_.gatherings.members(gathering)) wake(member);
}

void Machine::announce_matches() {
  for (const auto& [send, recv] : mail_.take_matches()) {
    const EventRef from = mail_.send(send).at;
    const EventRef to = mail_.recv(recv).at;
    run_.messages.push_back({from, to});
    wake(from.rank);
    wake(to.rank);
  }
}

bool Machine::can_leave(std::int32_t rank, const Event& event) const {
  if (runs_here(rank, event)) return false;
  if (!judged(event)) return true;
  switch (kind_of(event.op)) {
    case OpKind::probe:
      if (takes_message(event)) return done(rank, state(rank).current);
      return event.flag == 1 || form_of(event.op) == OpForm::blocking || spins_here(rank, event)
                 ? message_there(rank, event)
                 : true;
    case OpKind::wait: return requests_done(rank, event);
    case OpKind::test: return tests_succeed(event) || spins_here(rank, event) ? requests_done(rank, event) : true;
    case OpKind::world: return event.op != Op::finalize || in_finalize_ == scenario_.world();
    default: return form_of(event.op) == OpForm::nonblocking || done(rank, state(rank).current);
  }
}

void Machine::leave(std::int32_t rank, const Event& event) {
  Rank& one = state(rank);
  const OpKind kind = kind_of(event.op);
  if (kind == OpKind::wait || (kind == OpKind::test && tests_succeed(event))) {
    std::vector<std::uint32_t> completed = completed_requests_of(event);
    if (any_suffices(event)) {
      for (const std::uint32_t request : requests_of(event)) {
        const auto found = one.requests.find(request);
        if (found == one.requests.end() || !done(rank, found->second)) continue;
        completed.push_back(request);
        if (event.op == Op::waitany || event.op == Op::testany) break;
      }
    }
    for (const std::uint32_t request : completed) one.requests.erase(request);
  }
  one.forced = false;
  one.entered = false;
  ++one.pc;
}

// The record ends here: what the rank did afterwards follows from how it ended.
void Machine::reach_end(std::int32_t rank) {
  Rank& one = state(rank);
  const RankEnd& end = trace(rank).end;
  if (scenario_.cut && !end.stated) return stop(rank, Standing::unknown);
  switch (end.kind) {
    case EndKind::running: return stop(rank, Standing::running);
    case EndKind::cut:
    case EndKind::missing: return stop(rank, Standing::unknown);
    case EndKind::aborted:
    case EndKind::signal: return stop(rank, Standing::dead);
    case EndKind::exited: return stop(rank, one.finalizing ? Standing::finished : Standing::dead);
    case EndKind::finalized: break;
  }
  enter_finalize(rank);
  if (one.forced || in_finalize_ == scenario_.world()) stop(rank, Standing::finished);
}

void Machine::stop(std::int32_t rank, Standing standing) {
  state(rank).over = true;
  run_.standing[static_cast<std::size_t>(rank)] = standing;
}

bool Machine::done(std::int32_t rank, const Pending& pending) const {
  if (pending.cancelled) return true;
  if (pending.send != kNone && !pending.send_buffered && !mail_.send_matched(pending.send)) return false;
  if (pending.recv != kNone && !mail_.recv_matched(pending.recv)) return false;
  return pending.gathering == kNone || gathering_done(rank, run_.gatherings[pending.gathering]);
}

bool Machine::gathering_done(std::int32_t rank, const Gathering& gathering) const {
  const bool complete = gathering.missing == 0 && !gathering.conflicted;
  if (complete || !assumptions_.buffered) return complete;
  const auto member = run_.gatherings.member_index(gathering, rank);
  const Event& event = at(scenario_, {rank, gathering.arrivals[static_cast<std::size_t>(member)]});
  switch (kind_of(event.op) == OpKind::collective ? needs_of(event, member) : Needs::all) {
    case Needs::nobody: return true;
    case Needs::root:
      return !gathering.conflicted && event.root >= 0 &&
             static_cast<std::size_t>(event.root) < gathering.arrivals.size() &&
             gathering.arrivals[static_cast<std::size_t>(event.root)] != kAbsent;
    case Needs::lower:
      return !gathering.conflicted && std::none_of(gathering.arrivals.begin(), gathering.arrivals.begin() + member,
                                                   [](std::uint32_t arrival) { return arrival == kAbsent; });
    case Needs::all: break;
  }
  return false;
}

bool Machine::tests_succeed(const Event& event) const {
  return event.flag == 1 || event.extras->index.has_value() || !event.extras->indices.empty();
}

bool Machine::requests_done(std::int32_t rank, const Event& event) const {
  const Rank& one = state(rank);
  const auto is_done = [&](std::uint32_t request) {
    const auto found = one.requests.find(request);
    return found == one.requests.end() || done(rank, found->second);
  };
  if (any_suffices(event)) {
    const auto requests = requests_of(event);
    return requests.empty() || std::any_of(requests.begin(), requests.end(), is_done);
  }
  const auto requests = completed_requests_of(event);
  return std::all_of(requests.begin(), requests.end(), is_done);
}

bool Machine::message_there(std::int32_t rank, const Event& event) const {
  if (event.peer == kNull || event.peer == kUnset) return true;
  const std::int32_t source = event.peer == kAny && event.matched != kUnset ? event.matched : event.peer;
  return mail_.visible(event.comm, run_.gatherings.group_rank(event.comm, rank), source, tag_of(event));
}

// A rank whose record ends inside a computation or a sleep is still there.
bool Machine::runs_here(std::int32_t rank, const Event& event) const {
  return kind_of(event.op) == OpKind::host && event.state == EventState::started &&
         trace(rank).end.kind == EndKind::running;
}

// A ring buffer lost events of this rank, and with them the count of its calls on this communicator.
bool Machine::place_unknown(std::int32_t rank, const Event& event) const {
  return run_.truncated[static_cast<std::size_t>(rank)] && event.coll_seq == kUnset && is_positional(event.op);
}

// A polling loop that the record leaves unfinished is a wait for what it polls.
bool Machine::spins_here(std::int32_t rank, const Event& event) const {
  const bool polls = kind_of(event.op) == OpKind::test ||
                     (kind_of(event.op) == OpKind::probe && form_of(event.op) == OpForm::nonblocking);
  return polls && !tests_succeed(event) && is_last(rank) && trace(rank).end.kind == EndKind::running;
}

bool Machine::resolve_as_recorded() {
  for (const OpenWildcard& wildcard : mail_.open_wildcards()) {
    const std::int32_t prefer = mail_.recv(wildcard.recv).prefer;
    if (prefer == kUnset) continue;
    for (std::size_t i = 0; i < wildcard.candidates.size(); ++i) {
      if (mail_.send(wildcard.candidates[i]).source != prefer) continue;
      resolve(wildcard, i);
      return true;
    }
  }
  return false;
}

// Wildcards without a recorded match are free; those whose recorded message cannot come are, when all else has stopped.
bool Machine::resolve_by_choice(bool against_record) {
  std::vector<OpenWildcard> open = mail_.open_wildcards();
  std::erase_if(open, [&](const OpenWildcard& w) { return (mail_.recv(w.recv).prefer != kUnset) != against_record; });
  Choice choice{0, 0};
  for (const OpenWildcard& wildcard : open)
    choice.alternatives += static_cast<std::uint32_t>(wildcard.candidates.size());
  if (choice.alternatives == 0) return false;
  if (choice.alternatives > 1) {
    if (run_.choices.size() < script_.size())
      choice.taken = std::min(script_[run_.choices.size()], choice.alternatives - 1);
    run_.choices.push_back(choice);
  }
  std::size_t candidate = choice.taken;
  auto wildcard = open.begin();
  for (; candidate >= wildcard->candidates.size(); ++wildcard) candidate -= wildcard->candidates.size();
  resolve(*wildcard, candidate);
  return true;
}

void Machine::resolve(const OpenWildcard& wildcard, std::size_t candidate) {
  Wildcard taken;
  taken.recv = mail_.recv(wildcard.recv).at;
  for (const std::uint32_t send : wildcard.candidates) taken.candidates.push_back(mail_.send(send).at);
  taken.chosen = candidate;
  run_.wildcards.push_back(std::move(taken));
  mail_.resolve(wildcard.recv, wildcard.candidates[candidate]);
  announce_matches();
}

bool Machine::follow_record() {
  if (!assumptions_.follow_record) return false;
  bool moved = false;
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
    Rank& one = state(rank);
    const auto& events = trace(rank).events;
    if (one.over || one.forced) continue;
    const bool returned = one.pc < events.size()
                              ? events[one.pc].state == EventState::completed && !spins_here(rank, events[one.pc])
                              : trace(rank).end.stated;
    if (!returned) continue;
    one.forced = moved = true;
    wake(rank);
  }
  run_.leaned_on_record = run_.leaned_on_record || moved;
  return moved;
}

void Machine::add_atoms(std::int32_t rank, const Pending& pending, std::vector<Atom>& atoms) const {
  Atom atom;
  atom.posted = pending.posted;
  if (pending.send != kNone && !pending.send_buffered && !mail_.send_matched(pending.send)) {
    const Post& post = mail_.send(pending.send);
    atom.kind = Atom::receiver;
    atom.comm = post.comm;
    atom.peer = global(post.comm, post.dest);
    atom.tag = post.tag;
    atoms.push_back(atom);
  }
  if (pending.recv != kNone && !mail_.recv_matched(pending.recv)) {
    const Post& post = mail_.recv(pending.recv);
    atom.kind = Atom::message;
    atom.comm = post.comm;
    atom.peer = post.source == kAny ? kAny : global(post.comm, post.source);
    atom.tag = post.tag;
    atoms.push_back(atom);
  }
  if (pending.gathering != kNone && !gathering_done(rank, run_.gatherings[pending.gathering])) {
    atom.kind = Atom::gathering;
    atom.number = pending.gathering;
    atom.comm = run_.gatherings[pending.gathering].comm;
    atoms.push_back(atom);
  }
}

Wait Machine::wait_of(std::int32_t rank) const {
  const Rank& one = state(rank);
  const auto& events = trace(rank).events;
  Wait wait{rank, one.pc, false, false, {}};
  Atom atom;
  atom.posted = {rank, one.pc};
  if (one.pc == events.size() || events[one.pc].op == Op::finalize) {
    atom.kind = Atom::finalize;
    wait.atoms.push_back(atom);
    return wait;
  }
  const Event& event = events[one.pc];
  switch (kind_of(event.op)) {
    case OpKind::probe:
      atom.kind = Atom::message;
      atom.comm = event.comm;
      atom.peer = event.peer == kAny ? kAny : global(event.comm, event.peer);
      atom.tag = tag_of(event);
      wait.atoms.push_back(atom);
      break;
    case OpKind::wait:
    case OpKind::test:
      for (const std::uint32_t request : any_suffices(event) ? requests_of(event) : completed_requests_of(event)) {
        const auto found = one.requests.find(request);
        if (found != one.requests.end()) add_atoms(rank, found->second, wait.atoms);
      }
      wait.any = any_suffices(event);
      break;
    default: add_atoms(rank, one.current, wait.atoms);
  }
  wait.polls = spins_here(rank, event);
  return wait;
}

void Machine::finish() {
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
    const Rank& one = state(rank);
    const auto slot = static_cast<std::size_t>(rank);
    run_.index[slot] = one.pc;
    const auto& events = trace(rank).events;
    if (!one.over && one.pc < events.size() && one.entered && runs_here(rank, events[one.pc]))
      run_.standing[slot] = Standing::running;
    if (!one.over && run_.standing[slot] == Standing::blocked) run_.waits.push_back(wait_of(rank));
    if (!one.finalizing) continue;
    for (const auto& [request, pending] : one.requests) run_.never_completed.push_back(pending.posted);
  }
  std::sort(run_.never_completed.begin(), run_.never_completed.end());
  run_.unmatched_sends = mail_.unmatched_sends();
  run_.stuck = stuck_ranks(run_);
}

Run run(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script) {
  return Machine(scenario, assumptions, script).execute();
}

}  // namespace petri::model
