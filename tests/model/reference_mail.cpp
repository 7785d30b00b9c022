// Messages: MPI 4.1, chapter 3 and section 4.2.
#include <algorithm>

#include "tests/model/reference_state.hpp"

namespace petri::test::reference {
namespace {

struct Half {
  std::int32_t peer, tag;
  std::int64_t count;
  ElementType dtype;
};

Half half_of(const Event& event, bool sending) {
  const EventExtras& own = event.extras;
  Half half{event.peer, tag_of(event), event.count, event.dtype};
  const std::int32_t peer = sending ? own.sendpeer() : own.recvpeer(), tag = sending ? own.sendtag() : own.recvtag();
  const std::int64_t count = sending ? own.sendcount() : own.recvcount();
  const ElementType dtype = sending ? own.sendtype() : own.recvtype();
  if (peer != kUnset) half.peer = peer;
  if (tag != kUnset) half.tag = tag;
  if (count != kUnknownCount) half.count = count;
  if (dtype != ElementType::unknown) half.dtype = dtype;
  return half;
}

std::int64_t bytes_of(const Half& half) {
  const auto size = static_cast<std::int64_t>(size_of(half.dtype));
  return half.count < 0 || size == 0 ? -1 : half.count * size;
}

// Must the sender wait for a receive? A synchronous one always, a buffered one never, the others where the library
// cannot buffer them (section 3.4).
bool waits_for_receive(const Facts& facts, const Event& event, const Half& half) {
  const std::string_view family = info(event.op).family;
  if (family == "ssend") return true;
  if (family == "bsend") return false;
  if (facts.strict()) return true;
  const std::int64_t limit = *facts.assumed.buffered, bytes = bytes_of(half);
  return limit != kAllBuffered && (bytes < 0 || bytes > limit);
}

bool fits(const Side& recv, const Side& send) {
  return recv.comm == send.comm && recv.dest == send.dest && (recv.source == kAny || recv.source == send.source) &&
         (recv.tag == kAny || recv.tag == send.tag);
}

Side receiving_side(const Facts& facts, EventRef ref, const Event& event, Owner owner) {
  const Half half = half_of(event, false);
  const std::int32_t source = half.peer == kAny ? kAny : facts.peer(event.comm, ref.rank, half.peer);
  return {event.comm, source, ref.rank, half.tag, owner, true, ref};
}

bool names_nobody(const Side& side) {
  return side.source == -1 || side.dest == -1;  // MPI_PROC_NULL, or not recorded
}

}  // namespace

bool does_send(const Event& event) {
  return kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::sendrecv;
}
bool does_receive(const Event& event) {
  return kind_of(event.op) == OpKind::sendrecv ||
         (kind_of(event.op) == OpKind::recv && event.op != Op::mrecv && event.op != Op::imrecv);
}

// What the schedule shows cancelled never met its other side (section 3.8.4).
bool is_cancelled_later(const Facts& facts, EventRef ref, std::uint32_t request) {
  const auto& events = facts.scenario.ranks[static_cast<std::size_t>(ref.rank)].events;
  return std::any_of(events.begin() + ref.index, events.end(), [&](const Event& later) {
    return later.op == Op::cancel && later.request == request && later.flag == 1;
  });
}

void post_sides(const Facts& facts, State& state, EventRef ref, const Event& arguments, Owner owner) {
  if (owner.second >= 0 && is_cancelled_later(facts, ref, arguments.request)) return;
  if (does_send(arguments)) {
    const Half half = half_of(arguments, true);
    const Rank dest = facts.peer(arguments.comm, ref.rank, half.peer);
    const bool awaited = waits_for_receive(facts, arguments, half);
    const Side side{arguments.comm, ref.rank, dest, half.tag, owner, awaited, ref};
    if (!names_nobody(side)) state.sends.push_back(side);
  }
  if (does_receive(arguments)) {
    const Side side = receiving_side(facts, ref, arguments, owner);
    if (!names_nobody(side)) state.recvs.push_back(side);
  }
}

// "If a sender sends two messages in succession to the same destination, and both match the same receive, then this
// operation cannot receive the second message if the first one is still pending. If a receiver posts two receives in
// succession, and both match the same message, then the second receive operation cannot be satisfied by this message,
// if the first one is still pending" (section 3.5).
bool may_match(const State& state, std::size_t send, std::size_t recv) {
  if (!fits(state.recvs[recv], state.sends[send])) return false;
  for (std::size_t i = 0; i < send; ++i)
    if (state.sends[i].source == state.sends[send].source && fits(state.recvs[recv], state.sends[i])) return false;
  for (std::size_t i = 0; i < recv; ++i)
    if (fits(state.recvs[i], state.sends[send])) return false;
  return true;
}

void match(const Facts& facts, State& state, std::size_t send, std::size_t recv) {
  if (message_clashes(facts, state.sends[send], state.recvs[recv])) state.mismatch = true;
  state.sends.erase(state.sends.begin() + static_cast<std::ptrdiff_t>(send));
  state.recvs.erase(state.recvs.begin() + static_cast<std::ptrdiff_t>(recv));
}

// A message longer than its receive, or of another type (section 3.2.2 and 3.3.1).
bool message_clashes(const Facts& facts, const Side& send, const Side& recv) {
  const Half out = half_of(facts.event(send.at), true), in = half_of(facts.event(recv.at), false);
  if (out.dtype == in.dtype) return out.count >= 0 && in.count >= 0 && out.count > in.count;
  if (out.dtype == ElementType::unknown || in.dtype == ElementType::unknown) return false;
  if (out.dtype == ElementType::packed || in.dtype == ElementType::packed) return bytes_of(out) > bytes_of(in);
  return out.count != 0;
}

// What a receive with the probe's arguments would take (section 3.8.1): a message that no earlier receive claims.
std::vector<std::size_t> visible(const Facts& facts, const State& state, EventRef probe) {
  State with = state;
  with.recvs.push_back(receiving_side(facts, probe, facts.event(probe), kNobody));
  std::vector<std::size_t> sends;
  for (std::size_t send = 0; send < state.sends.size(); ++send)
    if (may_match(with, send, with.recvs.size() - 1)) sends.push_back(send);
  return sends;
}

void take_probed(const Facts& facts, State& state, EventRef mprobe, std::size_t send) {
  add(state.probed, Probed{mprobe.rank, facts.event(mprobe).extras.message().value_or(0), state.sends[send]});
  state.sends.erase(state.sends.begin() + static_cast<std::ptrdiff_t>(send));
}

// "A synchronous send operation that is matched with MPI_IMPROBE or MPI_MPROBE will complete successfully only if both
// a matching receive is posted with MPI_MRECV or MPI_IMRECV, and the receive operation has started to receive the
// message" (section 3.8.2).
void fetch_probed(const Facts& facts, State& state, EventRef mrecv) {
  const std::int64_t message = facts.event(mrecv).extras.message().value_or(0);
  for (std::size_t i = 0; i < state.probed.size(); ++i) {
    if (state.probed[i].rank != mrecv.rank || state.probed[i].message != message) continue;
    Side recv;
    recv.at = mrecv;
    if (message_clashes(facts, state.probed[i].send, recv)) state.mismatch = true;
    state.probed.erase(state.probed.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

bool withdraw(State& state, Owner owner) {
  for (auto* sides : {&state.sends, &state.recvs}) {
    const auto found = std::find_if(sides->begin(), sides->end(), [&](const Side& s) { return s.owner == owner; });
    if (found == sides->end()) continue;
    sides->erase(found);
    return true;
  }
  return false;
}

bool in_flight(const State& state, Owner owner) {
  const auto waits = [&](const Side& side) { return side.owner == owner && side.awaited; };
  return std::any_of(state.sends.begin(), state.sends.end(), waits) ||
         std::any_of(state.recvs.begin(), state.recvs.end(), waits) ||
         std::any_of(state.probed.begin(), state.probed.end(), [&](const Probed& p) { return waits(p.send); });
}

// --- Partitioned communication (section 4.2) ---

namespace {

// "Partitioned communication operations are matched based on the order in which the local initialization calls are
// performed" (section 4.2.1): the n-th psend_init of a channel belongs to the n-th precv_init of it.
const Persistent* partner(const Facts& facts, const State& state, const Persistent& request) {
  const Event& own = facts.event({request.rank, request.init});
  const Rank other = facts.peer(own.comm, request.rank, own.peer);
  const Op wanted = own.op == Op::psend_init ? Op::precv_init : Op::psend_init;
  const auto channel = [&](Rank rank, Op op, Rank peer) {
    std::vector<const Persistent*> all;
    for (const Persistent& one : state.persistent) {
      const Event& event = facts.event({one.rank, one.init});
      if (one.rank == rank && event.op == op && event.comm == own.comm && tag_of(event) == tag_of(own) &&
          facts.peer(event.comm, rank, event.peer) == peer)
        all.push_back(&one);
    }
    std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->init < b->init; });
    return all;
  };
  const auto mine = channel(request.rank, own.op, other), theirs = channel(other, wanted, request.rank);
  for (std::size_t n = 0; n < mine.size() && n < theirs.size(); ++n)
    if (mine[n]->init == request.init) return theirs[n];
  return nullptr;
}

bool all_ready(const Persistent& request) {
  return std::find(request.ready.begin(), request.ready.end(), 0) == request.ready.end();
}

// How many of its starts a sender has filled.
std::int32_t filled(const Persistent& sender) {
  return all_ready(sender) ? sender.starts : sender.starts - 1;
}

}  // namespace

bool is_partitioned(const Event& init) {
  return init.op == Op::psend_init || init.op == Op::precv_init;
}

void make_ready(const Facts& facts, State& state, EventRef ref) {
  const Event& event = facts.event(ref);
  std::vector<std::uint32_t> partitions = event.extras.indices();
  if (event.extras.index()) partitions.push_back(static_cast<std::uint32_t>(*event.extras.index()));
  for (Persistent& request : state.persistent)
    if (request.rank == ref.rank && request.request == event.request)
      for (const std::uint32_t partition : partitions)
        if (partition < request.ready.size()) request.ready[partition] = 1;
}

bool partitions_clash(const Facts& facts, const State& state, const Persistent& request) {
  const Persistent* other = partner(facts, state, request);
  if (other == nullptr || request.starts == 0 || other->starts == 0) return false;
  const Event& own = facts.event({request.rank, request.init});
  const Event& theirs = facts.event({other->rank, other->init});
  const Event& send = own.op == Op::psend_init ? own : theirs;
  const Event& recv = own.op == Op::psend_init ? theirs : own;
  const auto all = [](const Event& init) { return init.count * init.extras.partitions().value_or(1); };
  return send.dtype != recv.dtype || all(send) > all(recv);  // of what is generated
}

// A send is done when all its partitions are ready and its library has them away, a receive when all have come.
bool partitions_done(const Facts& facts, const State& state, const Persistent& request) {
  const Event& init = facts.event({request.rank, request.init});
  if (facts.peer(init.comm, request.rank, init.peer) < 0) return true;
  const Persistent* other = partner(facts, state, request);
  if (init.op == Op::precv_init) return other != nullptr && filled(*other) >= request.starts;
  const Half half{0, 0, init.count < 0 ? -1 : init.count * init.extras.partitions().value_or(1), init.dtype};
  const bool taken = other != nullptr && other->starts >= request.starts;
  return filled(request) >= request.starts && (taken || !waits_for_receive(facts, init, half));
}

bool has_arrived(const Facts& facts, const State& state, EventRef parrived) {
  const Event& event = facts.event(parrived);
  for (const Persistent& request : state.persistent) {
    if (request.rank != parrived.rank || request.request != event.request) continue;
    const Persistent* sender = partner(facts, state, request);
    const auto partition = static_cast<std::size_t>(event.extras.index().value_or(0));
    const Event& init = facts.event({request.rank, request.init});
    const bool from_nobody = facts.peer(init.comm, request.rank, init.peer) < 0;
    if (request.starts == 0 || from_nobody) return true;
    if (sender == nullptr || sender->starts < request.starts) return false;
    return sender->starts > request.starts || partition >= sender->ready.size() || sender->ready[partition] != 0;
  }
  return true;
}

}  // namespace petri::test::reference
