// Which operations are done, and what a blocked lane waits for.
#include <algorithm>

#include "harness/model/machine.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::model {
namespace {

constexpr std::int32_t kNobody = -1, kEverybody = -2;

}  // namespace

bool Machine::can_leave(std::uint32_t lane, EventRef ref) const {
  const Event& event = at(scenario_, ref);
  const Pending& pending = lanes_[lane].current.front();
  if (runs_here(ref)) return false;
  if (!judged(event) || goes_to_stream(event)) return true;
  const bool must_hold = poll_succeeded(event) || spins_here(ref);
  switch (kind_of(event.op)) {
    case OpKind::probe:
      if (takes_message(event)) return done(ref.rank, pending);
      return must_hold || form_of(event.op) == OpForm::blocking ? message_there(ref.rank, event) : true;
    case OpKind::wait: return requests_done(ref.rank, event);
    case OpKind::test: return must_hold ? requests_done(ref.rank, event) : true;
    case OpKind::partition: return !must_hold || requests_done(ref.rank, event);
    case OpKind::window: return must_hold || !is_poll(event) ? can_leave_window(event, pending) : true;
    case OpKind::rma: return true;
    case OpKind::world: return event.op != Op::finalize || in_finalize_ == scenario_.world();
    case OpKind::device: {
      const std::vector<Ticket> tickets = awaited_by_host(ref);
      return std::all_of(tickets.begin(), tickets.end(), [&](const Ticket& ticket) { return reached(ticket); });
    }
    default: return form_of(event.op) == OpForm::nonblocking || done(ref.rank, pending);
  }
}

// A start and a lock may block, or let what follows them wait instead (MPI 4.1, sections 12.5.2 and 12.5.3).
bool Machine::can_leave_window(const Event& event, const Pending& pending) const {
  switch (event.op) {
    case Op::win_start:
    case Op::win_lock:
    case Op::win_lock_all:
    case Op::win_flush_local:
    case Op::win_flush_local_all: return assumptions_.buffered.has_value() || done(pending.posted.rank, pending);
    default: return done(pending.posted.rank, pending);
  }
}

void Machine::take_completed(std::int32_t rank, const Event& event) {
  RankState& one = state(rank);
  Requests completed = completed_requests_of(event);
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

bool Machine::messages_done(const Pending& pending) const {
  if (pending.send != kNone && !pending.send_buffered && !mail_.send_received(pending.send)) return false;
  return pending.recv == kNone || mail_.recv_matched(pending.recv);
}

// A partitioned send is complete when all its partitions are marked, and, as any send, perhaps only when it is
// received (MPI 4.1, section 4.2).
bool Machine::partitions_done(const Pending& pending) const {
  if (pending.psend != kNone) {
    if (!partitions_.all_ready(pending.psend)) return false;
    if (!buffers(at(scenario_, pending.posted)) && !partitions_.receiver_started(pending.psend)) return false;
  }
  return pending.precv == kNone || partitions_.arrived(pending.precv);
}

bool Machine::done(std::int32_t rank, const Pending& pending) const {
  if (pending.cancelled) return true;
  if (!messages_done(pending) || !partitions_done(pending)) return false;
  if (pending.epoch != kNone && !windows_.missing(pending.epoch).empty()) return false;
  if (!std::all_of(pending.locks.begin(), pending.locks.end(), [&](std::uint32_t lock) { return windows_.held(lock); }))
    return false;
  return pending.gathering == kNone || gathering_done(rank, run_.gatherings[pending.gathering]);
}

bool Machine::gathering_done(std::int32_t rank, const Gathering& gathering) const {
  return awaited_in(rank, gathering) == kNobody;
}

// A member whom `rank` still needs there: kNobody where it may leave, kEverybody where no single arrival lets it.
std::int32_t Machine::awaited_in(std::int32_t rank, const Gathering& gathering) const {
  if (run_.gatherings.complete(gathering)) return kNobody;
  if (!assumptions_.buffered) return kEverybody;
  const auto member = run_.gatherings.member_index(gathering, rank);
  const Event& event = at(scenario_, {rank, gathering.arrivals[static_cast<std::size_t>(member)]});
  // Others that call something else there are nobody's concern but theirs who need them.
  const auto there = [&](std::int32_t other) {
    const std::uint32_t arrival = gathering.arrivals[static_cast<std::size_t>(other)];
    if (arrival == kAbsent || arrival == kBefore) return arrival == kBefore;
    const auto& members = run_.gatherings.members(gathering);
    return join(at(scenario_, {members[static_cast<std::size_t>(other)], arrival}).op, event.op);
  };
  const auto first_absent = [&](std::int32_t first, std::int32_t last) {
    for (std::int32_t other = first; other < last; ++other)
      if (!there(other)) return other;
    return kNobody;
  };
  const std::int32_t root = run_.gatherings.peer_index(gathering.comm, rank, event.root);
  const bool is_init = form_of(event.op) == OpForm::persistent && gathering.start_of == kNoGathering;
  const bool is_root = event.root == kRootHere || root == member;
  switch (is_init ? Needs::nobody : needs_of(event, is_root)) {
    case Needs::nobody: return kNobody;
    case Needs::root: return root < 0 ? kEverybody : first_absent(root, root + 1);
    case Needs::lower: return first_absent(0, member);
    case Needs::sources: {
      const Event* topology = run_.gatherings.topology_of(gathering.comm, rank);
      if (topology == nullptr) return kEverybody;
      const auto& sources = topology->extras.sources();
      const auto absent = std::find_if(sources.begin(), sources.end(),
                                       [&](std::int32_t source) { return source >= 0 && !there(source); });
      return absent == sources.end() ? kNobody : *absent;
    }
    case Needs::all: {
      // On an intercommunicator each group needs the other one only (section 6.3).
      const bool across = scenario_.comms[static_cast<std::size_t>(gathering.comm)].is_inter();
      if (!across || kind_of(event.op) != OpKind::collective) return kEverybody;
      const std::int32_t first = run_.gatherings.peer_index(gathering.comm, rank, 0);
      const auto others =
          static_cast<std::int32_t>(scenario_.comms[static_cast<std::size_t>(gathering.comm)].peers_of(rank).size());
      return first_absent(first, first + others);
    }
  }
  return kEverybody;
}

bool Machine::requests_done(std::int32_t rank, const Event& event) const {
  const RankState& one = state(rank);
  if (event.op == Op::parrived) {
    const auto found = one.inits.find(event.request);
    if (found == one.inits.end() || found->second.precv == kNone) return true;
    return event.extras.index() ? partitions_.arrived(found->second.precv, *event.extras.index())
                                : partitions_.arrived(found->second.precv);
  }
  const auto is_done = [&](std::uint32_t request) {
    const auto found = one.requests.find(request);
    return found == one.requests.end() || done(rank, found->second);
  };
  if (any_suffices(event)) {
    // Null and inactive requests are ignored; where there are no others, the call returns (section 3.7.5).
    const Requests all = requests_of(event);
    const auto is_active = [&](std::uint32_t request) { return one.requests.count(request) != 0; };
    return std::none_of(all.begin(), all.end(), is_active) ||
           std::any_of(all.begin(), all.end(),
                       [&](std::uint32_t request) { return is_active(request) && is_done(request); });
  }
  const Requests requests = completed_requests_of(event);
  return std::all_of(requests.begin(), requests.end(), is_done);
}

bool Machine::message_there(std::int32_t rank, const Event& event) const {
  const std::int32_t wanted =
      event.peer == kAny && event.extras.matched() != kUnset ? event.extras.matched() : event.peer;
  const std::int32_t source = wanted == kAny ? kAny : run_.gatherings.peer_index(event.comm, rank, wanted);
  if (source == -1) return true;
  return mail_.visible(event.comm, run_.gatherings.group_rank(event.comm, rank), source, tag_of(event));
}

// A rank whose record ends inside a computation, a sleep or a wait for something outside is still there.
bool Machine::runs_here(EventRef ref) const {
  const Event& event = at(scenario_, ref);
  return kind_of(event.op) == OpKind::host && !goes_to_stream(event) && event.state == EventState::started &&
         trace(ref.rank).end.kind == EndKind::running;
}

// A ring buffer lost events of this rank, and with them the count of its calls on this communicator.
bool Machine::place_unknown(EventRef ref) {
  return run_.truncated[static_cast<std::size_t>(ref.rank)] && is_positional(at(scenario_, ref).op) &&
         !run_.gatherings.place_known(ref);
}

// What a record that stops early shows as enqueued last need not be where its rank is, and neither is what a ring kept
// that lost the place of its first call: calls that were enqueued before may not be over. The same holds for a wait
// that stands for the end of a launch.
bool Machine::is_doubtful(EventRef ref) const {
  const Event& event = at(scenario_, ref);
  const bool stops_early = trace(ref.rank).end.kind == EndKind::cut;
  return (stops_early || run_.truncated[static_cast<std::size_t>(ref.rank)]) && event.state == EventState::scheduled &&
         (is_enqueued_somewhere(scenario_, event) || kind_of(event.op) == OpKind::wait);
}

// A polling loop that the record leaves unfinished is a wait for what it polls.
bool Machine::spins_here(EventRef ref) const {
  const Event& event = at(scenario_, ref);
  if (!is_poll(event) || poll_succeeded(event) || trace(ref.rank).end.kind != EndKind::running) return false;
  const auto& events = trace(ref.rank).events;
  const std::int32_t thread = event.extras.thread().value_or(0);
  return std::none_of(events.begin() + ref.index + 1, events.end(),
                      [&](const Event& later) { return later.extras.thread().value_or(0) == thread; });
}

void Machine::add_gathering_atom(std::int32_t rank, const Pending& pending, std::vector<Atom>& atoms) const {
  const Gathering& gathering = run_.gatherings[pending.gathering];
  if (gathering_done(rank, gathering)) return;
  Atom atom;
  atom.posted = pending.posted;
  atom.kind = Atom::gathering;
  atom.number = pending.gathering;
  atom.comm = gathering.comm;
  if (gathering.bridges && gathering.missing == 0) {
    atom.number = gathering.across;
    if (gathering.across == kNoGathering) {
      const Event& event = at(scenario_, pending.posted);
      const std::int32_t leader = run_.gatherings.peer_index(event.comm, rank, event.root);
      if (leader < 0) return;
      const EventRef call{global(event.comm, leader), gathering.arrivals[static_cast<std::size_t>(leader)]};
      const Event& said = at(scenario_, call);
      const std::int32_t bridge = scenario_.find_comm(said.extras.remote().empty() ? "world" : said.extras.remote());
      const std::int32_t across = bridge < 0 ? -1 : run_.gatherings.peer_index(bridge, call.rank, said.peer);
      atom.kind = Atom::leader;
      atom.peer = across < 0 ? kAny : global(bridge, across);
      atom.tag = tag_of(said);
    }
  }
  atoms.push_back(atom);
}

void Machine::add_partition_atom(const Pending& pending, std::vector<Atom>& atoms) const {
  if (partitions_done(pending)) return;
  Atom atom;
  atom.posted = pending.posted;
  atom.kind = Atom::partition;
  const bool sends = pending.psend != kNone;
  const Post& post = sends ? partitions_.send(pending.psend) : partitions_.recv(pending.precv);
  atom.comm = post.comm;
  atom.tag = post.tag;
  atom.peer = global(post.comm, post.source);
  if (sends && partitions_.all_ready(pending.psend)) {
    atom.kind = Atom::receiver;
    atom.peer = global(post.comm, post.dest);
  }
  atoms.push_back(atom);
}

void Machine::add_atoms(std::int32_t rank, const Pending& pending, std::vector<Atom>& atoms) const {
  if (pending.cancelled) return;
  Atom atom;
  atom.posted = pending.posted;
  if (pending.send != kNone && !pending.send_buffered && !mail_.send_received(pending.send)) {
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
  add_partition_atom(pending, atoms);
  atom.comm = at(scenario_, pending.posted).comm;
  if (pending.epoch != kNone) {
    for (const std::int32_t partner : windows_.missing(pending.epoch)) {
      atom.kind = Atom::epoch;
      atom.peer = partner;
      atoms.push_back(atom);
    }
  }
  for (const std::uint32_t lock : pending.locks) {
    if (windows_.held(lock)) continue;
    for (const std::int32_t holder : windows_.holders_against(lock)) {
      atom.kind = Atom::lock;
      atom.peer = holder;
      atoms.push_back(atom);
    }
  }
  if (pending.gathering != kNone) add_gathering_atom(rank, pending, atoms);
}

Wait Machine::wait_of(std::uint32_t lane) const {
  const LaneState& one = lanes_[lane];
  const std::int32_t rank = rank_of(lane);
  const auto& events = trace(rank).events;
  Wait wait;
  wait.rank = rank;
  wait.lane = lane;
  wait.index = run_.lanes[lane].index;
  Atom atom;
  atom.posted = {rank, wait.index};
  if (wait.index == events.size() || events[wait.index].op == Op::finalize) {
    atom.kind = Atom::finalize;
    wait.atoms.push_back(atom);
    return wait;
  }
  if (!one.entered) {
    atom.kind = Atom::stream;
    atom.number = handed_over_by(lane);
    atom.peer = rank;
    wait.atoms.push_back(atom);
    return wait;
  }
  const Event& event = events[wait.index];
  wait.polls = spins_here(atom.posted);
  switch (kind_of(event.op)) {
    case OpKind::probe:
      atom.kind = Atom::message;
      atom.comm = event.comm;
      atom.peer =
          event.peer == kAny ? kAny : global(event.comm, run_.gatherings.peer_index(event.comm, rank, event.peer));
      atom.tag = tag_of(event);
      wait.atoms.push_back(atom);
      break;
    case OpKind::partition: {
      Pending pending;
      pending.posted = state(rank).inits.at(event.request).call;
      pending.precv = state(rank).inits.at(event.request).precv;
      add_partition_atom(pending, wait.atoms);
      break;
    }
    case OpKind::wait:
    case OpKind::test:
      for (const std::uint32_t request : any_suffices(event) ? requests_of(event) : completed_requests_of(event)) {
        const auto found = state(rank).requests.find(request);
        if (found != state(rank).requests.end()) add_atoms(rank, found->second, wait.atoms);
      }
      wait.any = any_suffices(event);
      break;
    case OpKind::device:
      for (const Ticket& ticket : awaited_by_host(atom.posted)) {
        if (reached(ticket)) continue;
        atom.kind = Atom::stream;
        atom.number = ticket.lane;
        atom.peer = rank;
        wait.atoms.push_back(atom);
      }
      break;
    default: add_atoms(rank, one.current.front(), wait.atoms);
  }
  return wait;
}

}  // namespace petri::model
