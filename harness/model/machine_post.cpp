// How the machine begins operations.
#include <algorithm>

#include "harness/model/machine.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::model {
namespace {

bool meets(OpKind kind) {
  return kind == OpKind::collective || kind == OpKind::comm_create || kind == OpKind::comm_free || kind == OpKind::file;
}

std::uint64_t watched_key(std::uint32_t gathering, std::int32_t member) {
  return (static_cast<std::uint64_t>(gathering) << 32) | static_cast<std::uint32_t>(member);
}

bool asserts(const Event& event, const char* what) {
  return event.extras.assertions().find(what) != std::string::npos;
}

}  // namespace

// Is this a call whose effect on others is known? Without the members of a communicator its ranks have no meaning.
bool Machine::judged(const Event& event) const {
  const OpKind kind = kind_of(event.op);
  const bool on_comm = kind == OpKind::send || kind == OpKind::recv || kind == OpKind::sendrecv ||
                       kind == OpKind::probe || kind == OpKind::window || kind == OpKind::rma || meets(kind);
  const bool by_id = event.op == Op::comm_init_rank && event.extras.new_comm() != kNoComm;
  return is_modelled(event.op) && (!on_comm || by_id || run_.gatherings.members_known(event.comm));
}

Machine::Pending Machine::post(const Event& event, EventRef ref) {
  const OpKind kind = kind_of(event.op);
  RankState& rank = state(ref.rank);
  Pending pending;
  pending.posted = ref;
  if (meets(kind) || (kind == OpKind::window && is_positional(event.op))) {
    pending.gathering = run_.gatherings.arrive(ref);
    arrived(pending.gathering, ref.rank);
  }
  if (form_of(event.op) == OpForm::persistent) {
    post_init(event, ref);
    rank.inits[event.request].gathering = pending.gathering;
    return pending;
  }
  post_messages(event, pending);
  switch (kind) {
    case OpKind::start: start(event, ref.rank); break;
    case OpKind::partition: mark_ready(event, ref); break;
    case OpKind::window:
    case OpKind::rma: post_window(event, pending); break;
    default: break;
  }
  if (event.op == Op::cancel) cancel(event, ref.rank);
  if (event.op == Op::request_free) rank.requests.erase(event.request), rank.inits.erase(event.request);
  const bool makes_request = form_of(event.op) == OpForm::nonblocking && event.request != kNoRequest &&
                             kind != OpKind::test && kind != OpKind::partition;
  if (makes_request) rank.requests[event.request] = pending;
  announce_matches();
  return pending;
}

void Machine::post_messages(const Event& event, Pending& pending) {
  const OpKind kind = kind_of(event.op);
  if (event.op == Op::mrecv || event.op == Op::imrecv) fetch_probed(event, pending.posted);
  if (was_cancelled(event, pending.posted)) return;
  if (kind == OpKind::send || kind == OpKind::sendrecv) post_send(event, pending.posted, pending);
  if (takes_message(event)) post_recv(event, pending.posted, pending);
}

// What the record shows cancelled never met its other side (MPI 4.1, section 3.8.4).
bool Machine::was_cancelled(const Event& event, EventRef ref) const {
  if (form_of(event.op) != OpForm::nonblocking || event.request == kNoRequest) return false;
  const auto found = cancelled_.find({ref.rank, event.request});
  return found != cancelled_.end() && found->second > ref.index;
}

// "A synchronous send operation that is matched with MPI_IMPROBE or MPI_MPROBE will complete successfully only if both
// a matching receive is posted with MPI_MRECV or MPI_IMRECV, and the receive operation has started" (MPI 4.1, section
// 3.8.2).
void Machine::fetch_probed(const Event& event, EventRef ref) {
  if (!event.extras.message()) return;
  const auto found = state(ref.rank).probed.find(*event.extras.message());
  if (found == state(ref.rank).probed.end()) return;
  if (const std::uint32_t send = mail_.fetch(found->second); send != kNone) {
    run_.messages.push_back({mail_.send_at(send), ref});
    wake(mail_.send_at(send).rank);
  }
  state(ref.rank).probed.erase(found);
}

// Partitioned requests meet when they are made, others when they are started.
void Machine::post_init(const Event& event, EventRef ref) {
  Init init;
  init.call = ref;
  Post post;
  if (event.op == Op::psend_init && address(event, ref, event.peer, tag_of(event), true, post))
    init.psend = partitions_.send_init(post, event.extras.partitions().value_or(1));
  if (event.op == Op::precv_init && address(event, ref, event.peer, tag_of(event), false, post))
    init.precv = partitions_.recv_init(post);
  state(ref.rank).inits[event.request] = init;
}

// A persistent request begins anew, with the arguments of the call that made it (MPI 4.1, section 3.9). What a wildcard
// got differs from start to start, so the start says it. Collective ones meet by the order of their inits, whatever the
// order of the starts (section 6.13).
void Machine::start(const Event& event, std::int32_t rank) {
  RankState& one = state(rank);
  for (const std::uint32_t request : requests_of(event)) {
    const auto found = one.inits.find(request);
    if (found == one.inits.end()) continue;
    Init& init = found->second;
    Event call = at(scenario_, init.call);
    if (event.extras.matched() != kUnset) call.extras.set_matched(event.extras.matched());
    Pending pending;
    pending.posted = init.call;
    pending.psend = init.psend;
    pending.precv = init.precv;
    ++init.starts;
    if (init.gathering != kNone) {
      pending.gathering = run_.gatherings.start(init.gathering, init.starts, init.call);
      arrived(pending.gathering, rank);
    }
    if (init.psend != kNone) {
      partitions_.start_send(init.psend);
      if (init.starts == 1) meet_partitioned(init.psend, partitions_.receiver_of(init.psend));
      wake(global(call.comm, partitions_.send(init.psend).dest));
    } else if (init.precv != kNone) {
      partitions_.start_recv(init.precv);
      if (init.starts == 1) meet_partitioned(partitions_.sender_of(init.precv), init.precv);
      wake(global(call.comm, partitions_.recv(init.precv).source));
    } else if (kind_of(call.op) == OpKind::send) {
      post_send(call, pending.posted, pending);
    } else if (kind_of(call.op) == OpKind::recv) {
      post_recv(call, pending.posted, pending);
    }
    one.requests[request] = std::move(pending);
  }
}

// The side that starts later for the first time tells of the pair.
void Machine::meet_partitioned(std::uint32_t send, std::uint32_t recv) {
  if (partitions_.both_started(send, recv))
    run_.partitioned.push_back({partitions_.send(send).at, partitions_.recv(recv).at});
}

void Machine::mark_ready(const Event& event, EventRef ref) {
  const auto found = state(ref.rank).inits.find(event.request);
  if (event.op == Op::parrived || found == state(ref.rank).inits.end() || found->second.psend == kNone) return;
  const std::uint32_t send = found->second.psend;
  if (event.extras.index()) partitions_.ready(send, *event.extras.index());
  for (const std::uint32_t partition : event.extras.indices())
    partitions_.ready(send, static_cast<std::int32_t>(partition));
  wake(ref.rank);
  wake(global(partitions_.send(send).comm, partitions_.send(send).dest));
}

// A cancelled request completes, with or without its message (MPI 4.1, section 3.8.4).
void Machine::cancel(const Event& event, std::int32_t rank) {
  const auto found = state(rank).requests.find(event.request);
  if (found == state(rank).requests.end() || event.flag == 0) return;
  Pending& pending = found->second;
  if (pending.send != kNone) pending.cancelled = mail_.withdraw_send(pending.send);
  if (pending.recv != kNone) pending.cancelled = mail_.withdraw_recv(pending.recv);
}

// Fills in who sends what to whom; false for MPI_PROC_NULL and what was not recorded: there is nothing to wait for.
bool Machine::address(const Event& event, EventRef ref, std::int32_t peer, std::int32_t tag, bool sends,
                      Post& post) const {
  const std::int32_t self = run_.gatherings.group_rank(event.comm, ref.rank);
  const std::int32_t other = peer == kAny ? kAny : run_.gatherings.peer_index(event.comm, ref.rank, peer);
  if (self < 0 || other == -1) return false;
  post.at = ref;
  post.comm = event.comm;
  post.source = sends ? self : other;
  post.dest = sends ? other : self;
  post.tag = tag;
  return true;
}

bool Machine::buffers(const Event& event) const {
  const std::int64_t bytes = bytes_of(send_half(event));
  const bool small = assumptions_.buffered &&
                     (*assumptions_.buffered == kUnlimited || (bytes >= 0 && bytes <= *assumptions_.buffered));
  return !is_synchronous_send(event.op) && (small || is_buffered_send(event.op));
}

void Machine::post_send(const Event& event, EventRef ref, Pending& pending) {
  const Half half = send_half(event);
  Post post;
  if (!address(event, ref, half.peer, half.tag, true, post)) return;
  pending.send_buffered = buffers(event);
  pending.send = mail_.post_send(post);
  wake(global(event.comm, post.dest));  // it may be probing
}

void Machine::post_recv(const Event& event, EventRef ref, Pending& pending) {
  const Half half = recv_half(event);
  Post post;
  if (!address(event, ref, half.peer, half.tag, false, post)) return;
  if (half.peer == kAny && event.extras.matched() != kUnset)
    post.prefer = run_.gatherings.peer_index(event.comm, ref.rank, event.extras.matched());
  post.holds = kind_of(event.op) == OpKind::probe && event.extras.message();
  pending.recv = mail_.post_recv(post);
  if (post.holds) state(ref.rank).probed[*event.extras.message()] = pending.recv;
}

// Wakes those whom an arrival may let go.
void Machine::arrived(std::uint32_t number, std::int32_t rank) {
  const Gathering& gathering = run_.gatherings[number];
  const auto watched = watchers_.find(watched_key(number, run_.gatherings.member_index(gathering, rank)));
  if (watched != watchers_.end()) {
    for (const std::int32_t watcher : watched->second) wake(watcher);
    watchers_.erase(watched);
  }
  if (gathering.missing != 0 && !gathering.bridges) return;
  for (const std::int32_t member : run_.gatherings.members(gathering)) wake(member);
  if (gathering.across == kNoGathering) return;
  for (const std::int32_t member : run_.gatherings.members(run_.gatherings[gathering.across])) wake(member);
}

// Who may leave a gathering before all are there is woken by one whom it still needs, not by every arrival: that would
// be quadratic in the members.
void Machine::watch(std::int32_t rank, const Pending& pending) {
  if (pending.gathering == kNone) return;
  const std::int32_t member = awaited_in(rank, run_.gatherings[pending.gathering]);
  if (member >= 0) watchers_[watched_key(pending.gathering, member)].push_back(rank);
}

void Machine::watch_event(std::uint32_t lane, EventRef ref) {
  const Event& event = at(scenario_, ref);
  if (kind_of(event.op) != OpKind::wait && kind_of(event.op) != OpKind::test)
    return watch(ref.rank, lanes_[lane].current.front());
  const auto& pending = state(ref.rank).requests;
  const bool any = any_suffices(event);
  for (const std::uint32_t request : any ? requests_of(event) : completed_requests_of(event)) {
    const auto found = pending.find(request);
    if (found == pending.end() || done(ref.rank, found->second)) continue;
    watch(ref.rank, found->second);
    if (!any) return;
  }
}

void Machine::announce_matches() {
  for (const auto& [send, recv] : mail_.take_matches()) {
    const EventRef from = mail_.send_at(send);
    const EventRef to = mail_.recv_at(recv);
    run_.messages.push_back({from, to});
    wake(from.rank);
    wake(to.rank);
  }
}

void Machine::post_window(const Event& event, Pending& pending) {
  const std::int32_t window = windows_.window_of(event);
  if (window < 0) return;
  const std::int32_t rank = pending.posted.rank;
  const auto partners = [&] {
    std::vector<std::int32_t> ranks;
    for (const std::int32_t member : event.extras.ranks())
      if (run_.gatherings.peer_index(event.comm, rank, member) >= 0) ranks.push_back(global(event.comm, member));
    return ranks;
  };
  switch (event.op) {
    case Op::win_post:
      windows_.post(pending.posted, window, partners());
      for (const std::int32_t origin : partners()) wake(origin);
      break;
    case Op::win_start: pending.epoch = windows_.start(pending.posted, window, partners()); break;
    case Op::win_complete: pending.epoch = windows_.open_epoch(window, rank, true); break;
    case Op::win_wait:
    case Op::win_test: pending.epoch = windows_.open_epoch(window, rank, false); break;
    default: post_lock(event, window, pending);
  }
}

void Machine::post_lock(const Event& event, std::int32_t window, Pending& pending) {
  const std::int32_t rank = pending.posted.rank;
  const std::int32_t member =
      event.extras.target() ? run_.gatherings.peer_index(event.comm, rank, *event.extras.target()) : -1;
  const std::int32_t target = member < 0 ? kAny : global(event.comm, member);
  switch (event.op) {
    case Op::win_lock:
      if (member < 0 || asserts(event, "nocheck")) return;
      pending.locks = {windows_.request(pending.posted, window, target, event.extras.lock() != "shared")};
      return;
    case Op::win_lock_all:
      if (asserts(event, "nocheck")) return;
      // One shared lock on each member: nothing makes them one (section 12.5.3).
      for (const std::int32_t each : run_.gatherings.ranks_of(event.comm))
        pending.locks.push_back(windows_.request(pending.posted, window, each, false));
      return;
    case Op::win_unlock_all:
    case Op::win_flush_all:
    case Op::win_flush_local_all: pending.locks = windows_.open_locks(window, rank); return;
    default: break;
  }
  if (member < 0) return;
  if (kind_of(event.op) == OpKind::rma) pending.epoch = windows_.open_epoch(window, rank, true);
  if (const std::uint32_t lock = windows_.open_lock(window, rank, target); lock != kNone) pending.locks = {lock};
}

// What leaving a call on a window ends.
void Machine::close_epochs(const Event& event, const Pending& pending) {
  const bool succeeds = event.op == Op::win_wait || (event.op == Op::win_test && event.flag == 1);
  if (pending.epoch != kNone && event.op == Op::win_complete) {
    windows_.complete(pending.epoch);
    for (const auto& [target, ordinal] : windows_.epoch(pending.epoch).partners) wake(target);
  }
  if (pending.epoch != kNone && succeeds) windows_.close(pending.epoch);
  if (event.op == Op::win_unlock || event.op == Op::win_unlock_all)
    for (const std::uint32_t lock : pending.locks) windows_.release(lock);
}

}  // namespace petri::model
