// What the records inside a call say of it.
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/import/otf2_calls.hpp"

namespace petri {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;       // what is larger cannot be meant
constexpr std::uint64_t kUnnamedRequest = std::uint64_t{1} << 63;  // above those that an archive names

std::int64_t count_of(std::uint64_t bytes) {
  return bytes > kMostBytes ? kUnknownCount : static_cast<std::int64_t>(bytes);
}

std::int32_t tag_of(std::uint32_t tag) {
  return tag > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()) ? kUnset
                                                                                    : static_cast<std::int32_t>(tag);
}

std::optional<Op> operation_of(std::uint32_t collective, bool nonblocking) {
  switch (collective) {
    case OTF2_COLLECTIVE_OP_BARRIER: return nonblocking ? Op::ibarrier : Op::barrier;
    case OTF2_COLLECTIVE_OP_BCAST: return nonblocking ? Op::ibcast : Op::bcast;
    case OTF2_COLLECTIVE_OP_GATHER: return nonblocking ? Op::igather : Op::gather;
    case OTF2_COLLECTIVE_OP_GATHERV: return nonblocking ? Op::igatherv : Op::gatherv;
    case OTF2_COLLECTIVE_OP_SCATTER: return nonblocking ? Op::iscatter : Op::scatter;
    case OTF2_COLLECTIVE_OP_SCATTERV: return nonblocking ? Op::iscatterv : Op::scatterv;
    case OTF2_COLLECTIVE_OP_ALLGATHER: return nonblocking ? Op::iallgather : Op::allgather;
    case OTF2_COLLECTIVE_OP_ALLGATHERV: return nonblocking ? Op::iallgatherv : Op::allgatherv;
    case OTF2_COLLECTIVE_OP_ALLTOALL: return nonblocking ? Op::ialltoall : Op::alltoall;
    case OTF2_COLLECTIVE_OP_ALLTOALLV: return nonblocking ? Op::ialltoallv : Op::alltoallv;
    case OTF2_COLLECTIVE_OP_ALLTOALLW: return nonblocking ? Op::ialltoallw : Op::alltoallw;
    case OTF2_COLLECTIVE_OP_ALLREDUCE: return nonblocking ? Op::iallreduce : Op::allreduce;
    case OTF2_COLLECTIVE_OP_REDUCE: return nonblocking ? Op::ireduce : Op::reduce;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER: return nonblocking ? Op::ireduce_scatter : Op::reduce_scatter;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      return nonblocking ? Op::ireduce_scatter_block : Op::reduce_scatter_block;
    case OTF2_COLLECTIVE_OP_SCAN: return nonblocking ? Op::iscan : Op::scan;
    case OTF2_COLLECTIVE_OP_EXSCAN: return nonblocking ? Op::iexscan : Op::exscan;
    default: return std::nullopt;
  }
}

}  // namespace

// The records of MPI, in archives whose events do not carry their arguments as attributes: all but Petri's.
void Otf2Calls::take_standard(const Otf2Record& record) {
  switch (record.kind) {
    case Otf2Kind::send: send(record); break;
    case Otf2Kind::recv: receive(record); break;
    case Otf2Kind::isend: {
      const bool named =
          call_ && call_->op && kind_of(*call_->op) == OpKind::send && form_of(*call_->op) == OpForm::nonblocking;
      post(record, named ? *call_->op : Op::isend);
      break;
    }
    case Otf2Kind::irecv_request: post(record, Op::irecv); break;
    case Otf2Kind::collective_request: {
      const bool named = call_ && call_->op && form_of(*call_->op) == OpForm::nonblocking;
      post(record, named ? *call_->op : Op::ibarrier);
      break;
    }
    case Otf2Kind::isend_complete:
    case Otf2Kind::irecv:
    case Otf2Kind::collective_complete: completed(record); break;
    case Otf2Kind::request_cancelled: cancelled(record); break;
    case Otf2Kind::request_test:
      if (const auto open = find(record.y); open != requests_.open.end() && call_)
        call_->tested.push_back(open->second.number);
      break;
    case Otf2Kind::collective_begin:
      if (!call_) begin(std::nullopt, record.time);
      break;
    case Otf2Kind::collective_end:
      if (!call_) begin(std::nullopt, record.time);
      collective(record, call_->event, false);
      end_bare();
      break;
    case Otf2Kind::comm_create:
      if (call_ && comm_of(record.b) > 0) {
        call_->event.extras.set_new_comm(comm_of(record.b));
        if (!call_->recorded) {
          const std::int32_t parent = definitions_.parent(scenario_, record.b, place_.rank);
          call_->event.comm = std::max(parent, 0);
          call_->recorded = parent != kNoComm;
        }
      }
      break;
    case Otf2Kind::comm_destroy:
      if (call_ && comm_of(record.b) != kNoComm) {
        call_->event.comm = comm_of(record.b);
        call_->recorded = true;
      }
      break;
    case Otf2Kind::window_create:
    case Otf2Kind::window_destroy:
    case Otf2Kind::window_access:
    case Otf2Kind::window_lock:
    case Otf2Kind::window_unlock:
    case Otf2Kind::window_sync:
    case Otf2Kind::window_group:
    case Otf2Kind::window_collective: window(record); break;
    default: break;
  }
}

std::int32_t Otf2Calls::peer_of(const Otf2Record& record, std::int32_t comm) const {
  return definitions_.peer(scenario_, record.b, comm, place_.rank, record.a);
}

void Otf2Calls::set_message(Event& event, const Otf2Record& record, std::int32_t comm) const {
  event.comm = comm;
  event.peer = peer_of(record, comm);
  event.tag = tag_of(record.c);
  event.count = count_of(record.x);
  event.dtype = ElementType::byte;
}

void Otf2Calls::send(const Otf2Record& record) {
  const std::int32_t comm = comm_of(record.b);
  if (comm == kNoComm) return leave_out_record("send");
  if (!call_) begin(Op::send, record.time);
  Event& event = call_->event;
  call_->recorded = call_->sent = true;
  if (call_->op && kind_of(*call_->op) == OpKind::sendrecv) {
    event.comm = comm;
    event.extras.set_sendpeer(peer_of(record, comm));
    event.extras.set_sendtag(tag_of(record.c));
    event.extras.set_sendcount(count_of(record.x));
    event.extras.set_sendtype(ElementType::byte);
  } else {
    set_message(event, record, comm);
  }
  end_bare();
}

void Otf2Calls::receive(const Otf2Record& record) {
  const std::int32_t comm = comm_of(record.b);
  if (comm == kNoComm) return leave_out_record("recv");
  const bool completes =
      call_ && call_->op && (kind_of(*call_->op) == OpKind::wait || kind_of(*call_->op) == OpKind::test);
  if (completes) return receive_later(record, comm);
  if (!call_) begin(Op::recv, record.time);
  Event& event = call_->event;
  call_->recorded = call_->received = true;
  gaps_.any_receive = true;
  if (call_->op && kind_of(*call_->op) == OpKind::sendrecv) {
    event.comm = comm;
    event.extras.set_recvpeer(peer_of(record, comm));
    event.extras.set_recvtag(tag_of(record.c));
    event.extras.set_recvcount(count_of(record.x));
    event.extras.set_recvtype(ElementType::byte);
  } else {
    set_message(event, record, comm);
  }
  end_bare();
}

// A message that came in a call which completes requests.
void Otf2Calls::receive_later(const Otf2Record& record, std::int32_t comm) {
  gaps_.any_receive = true;
  const auto open = std::find_if(requests_.open.lower_bound({kUnnamedRequest, nullptr}), requests_.open.end(),
                                 [&](const auto& one) { return one.first.second == this; });
  if (open == requests_.open.end()) {
    Event event;
    event.op = Op::recv;
    set_message(event, record, comm);
    return push(std::move(event), call_->time, EventState::completed);
  }
  set_message(events[open->second.event], record, comm);
  call_->completed.push_back(open->second.number);
  requests_.open.erase(open);
}

// A receive that was posted without a record.
void Otf2Calls::post_unnamed(std::uint64_t time) {
  Event event;
  event.op = Op::irecv;
  event.request = requests_.next++;
  event.comm = kNoComm;
  requests_.open[{kUnnamedRequest + event.request, this}] = {this, events.size(), event.request};
  push(std::move(event), time, EventState::completed);
}

// A request begins: an event of its own, in whatever call.
void Otf2Calls::post(const Otf2Record& record, Op op) {
  Event event;
  event.op = op;
  event.request = requests_.next++;
  event.comm = kNoComm;
  if (record.kind == Otf2Kind::isend) {
    const std::int32_t comm = comm_of(record.b);
    if (comm == kNoComm) return leave_out_record("isend");
    set_message(event, record, comm);
  }
  if (call_) call_->makes_event = false;
  if (const auto stale = requests_.open.find({record.y, this}); stale != requests_.open.end()) {
    events[stale->second.event].request = kNoRequest;  // its completion was not recorded
    ++gaps_.uncompleted;
  }
  requests_.open[{record.y, this}] = {this, events.size(), event.request};
  push(std::move(event), call_ ? call_->time : record.time, EventState::completed);
}

void Otf2Calls::completed(const Otf2Record& record) {
  const auto found = find(record.y);
  if (found == requests_.open.end()) return;
  const Otf2Requests::Open open = found->second;
  requests_.open.erase(found);
  Event& event = open.calls->events[open.event];
  if (record.kind == Otf2Kind::irecv && comm_of(record.b) != kNoComm) {
    event.comm = comm_of(record.b);
    event.peer = definitions_.peer(scenario_, record.b, event.comm, place_.rank, record.a);
    event.tag = tag_of(record.c);
    event.count = count_of(record.x);
    event.dtype = ElementType::byte;
    gaps_.any_receive = true;
  } else if (record.kind == Otf2Kind::collective_complete) {
    collective(record, event, true);
  }
  if (call_) call_->completed.push_back(open.number);
}

// Cancelling is recorded where the request is completed.
void Otf2Calls::cancelled(const Otf2Record& record) {
  const auto open = find(record.y);
  if (open == requests_.open.end()) return;
  Event cancel;
  cancel.op = Op::cancel;
  cancel.request = open->second.number;
  push(std::move(cancel), call_ ? call_->time : record.time, EventState::completed);
  completed(record);
}

// Sizes: what a rank sent and received in all, itself counted in or not, by its producer's own reckoning; only what a
// broadcast brings is the same in all of them.
void Otf2Calls::collective(const Otf2Record& record, Event& event, bool nonblocking) {
  const std::int32_t comm = comm_of(record.b);
  const bool whole = nonblocking || depth_ == 0;
  const std::optional<Op> op = operation_of(record.a, nonblocking);
  const bool typed = !nonblocking && call_ && call_->op;
  if (comm == kNoComm || (whole && !typed && !op)) return;
  if (!typed && (!nonblocking || event.op == Op::ibarrier)) {
    if (op) event.op = *op;
    if (!nonblocking) call_->op = op;
  }
  const bool creates_comm = kind_of(event.op) == OpKind::comm_create;
  if (creates_comm && event.extras.new_comm() == comm && comm != 0) {
    const std::int32_t parent = definitions_.parent(scenario_, record.b, place_.rank);
    event.comm = std::max(parent, 0);
  } else {
    event.comm = comm;
  }
  if (!nonblocking) call_->recorded = true;
  const Communicator& named = scenario_.comms[static_cast<std::size_t>(comm)];
  if (is_rooted(event.op)) {
    if (record.c == OTF2_COLLECTIVE_ROOT_SELF || record.c == OTF2_COLLECTIVE_ROOT_THIS_GROUP) {
      if (named.is_inter()) event.root = record.c == OTF2_COLLECTIVE_ROOT_SELF ? kRootHere : kNull;
    } else if (record.c != OTF2_COLLECTIVE_ROOT_NONE) {
      event.root = definitions_.peer(scenario_, record.b, comm, place_.rank, record.c);
    }
  }
  if ((event.op == Op::bcast || event.op == Op::ibcast) && record.z > 0) {
    event.count = count_of(record.z);
    event.dtype = ElementType::byte;
  }
}

void Otf2Calls::window(const Otf2Record& record) {
  const Otf2Definitions::Window* const window = definitions_.window(record.b);
  if (!call_ || window == nullptr) return;
  const std::int32_t comm = comm_of(window->comm);
  if (comm == kNoComm) return;
  Event& event = call_->event;
  const bool is_window_call =
      call_->op && (kind_of(*call_->op) == OpKind::window || kind_of(*call_->op) == OpKind::rma);
  if (!is_window_call) return;
  event.comm = comm;
  event.extras.set_win(window->name);
  call_->recorded = true;
  const bool has_target = kind_of(event.op) == OpKind::rma || event.op == Op::win_lock || event.op == Op::win_unlock ||
                          event.op == Op::win_flush || event.op == Op::win_flush_local;
  const bool names_remote = record.kind == Otf2Kind::window_access || record.kind == Otf2Kind::window_lock ||
                            record.kind == Otf2Kind::window_unlock || record.kind == Otf2Kind::window_sync;
  if (has_target && names_remote && record.c != kOtf2Undefined)
    event.extras.set_target(definitions_.peer(scenario_, window->comm, comm, place_.rank, record.c));
  if (record.kind == Otf2Kind::window_access) {
    event.count = count_of(record.x);
    event.dtype = ElementType::byte;
  }
  if (event.op == Op::win_lock && record.kind == Otf2Kind::window_lock)
    event.extras.set_lock(record.d == OTF2_LOCK_SHARED ? "shared" : "exclusive");
  if ((event.op == Op::win_post || event.op == Op::win_start) && record.kind == Otf2Kind::window_group) {
    std::vector<std::int32_t> members = definitions_.members(record.d);
    const Communicator& named = scenario_.comms[static_cast<std::size_t>(comm)];
    for (std::int32_t& member : members) member = named.group_rank_of(member);
    members.erase(std::remove(members.begin(), members.end(), -1), members.end());
    event.extras.set_ranks(members);
  }
}

}  // namespace petri
