#include "harness/import/recorded_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/import/recorded_arguments.hpp"
#include "harness/import/recorded_memory.hpp"
#include "harness/trace/forget_buffers.hpp"
#include "harness/trace/op_keys.hpp"

namespace petri {
namespace {

using record::Slot;

void add_free_key(Event& event, const char* key, std::string value) {
  FreeKeys keys = event.extras.free_keys();
  keys.emplace_back(key, std::move(value));
  event.extras.set_free_keys(std::move(keys));
}

void take_point_to_point(Event& event, const Slot& slot, std::int32_t peers) {
  event.peer = valid_rank(slot.peer, peers);
  event.tag = valid_tag(slot.tag);
  event.count = valid_count(slot.count);
  if (kind_of(event.op) == OpKind::send) {
    if (event.peer == kAny) event.peer = kUnset;
    if (event.tag == kAny) event.tag = kUnset;
  }
  const bool completed = event.state == EventState::completed;
  if (event.op == Op::psend_init || event.op == Op::precv_init) {
    if (slot.matched >= 0) event.extras.set_partitions(slot.matched);
    return;
  }
  if (completed && slot.matched != kUnset) event.extras.set_matched(valid_rank(slot.matched, peers));
  // The format has no key for it: a receive from any tag names the source that matched.
  if (completed && slot.tag == kAny && slot.result >= 0 && slot.matched != kUnset)
    add_free_key(event, "x_matched_tag", fmt::format("{}", slot.result));
}

void take_sendrecv(Event& event, const Slot& slot, const record::Sides& sides, std::int32_t peers) {
  event.extras.set_matched(valid_rank(slot.matched, peers));
  const auto one_or_both = [&](auto send, auto recv, auto& one, auto set_send, auto set_recv) {
    if (send == recv) {
      one = send;
    } else {
      (event.extras.*set_send)(send);
      (event.extras.*set_recv)(recv);
    }
  };
  one_or_both(valid_rank(sides.sendpeer, peers), valid_rank(sides.recvpeer, peers), event.peer,
              &EventExtras::set_sendpeer, &EventExtras::set_recvpeer);
  one_or_both(valid_tag(sides.sendtag), valid_tag(sides.recvtag), event.tag, &EventExtras::set_sendtag,
              &EventExtras::set_recvtag);
  one_or_both(valid_count(sides.sendcount), valid_count(sides.recvcount), event.count, &EventExtras::set_sendcount,
              &EventExtras::set_recvcount);
  one_or_both(type_of(sides.sendtype), type_of(sides.recvtype), event.dtype, &EventExtras::set_sendtype,
              &EventExtras::set_recvtype);
}

// Both sides of a collective, where they differ.
void take_sides(Event& event, const record::Sides& sides) {
  EventExtras& extras = event.extras;
  event.count = kUnknownCount;
  extras.set_sendcount(valid_count(sides.sendcount));
  extras.set_recvcount(valid_count(sides.recvcount));
  if (sides.sendtype == sides.recvtype) return;
  event.dtype = ElementType::unknown;
  extras.set_sendtype(type_of(sides.sendtype));
  extras.set_recvtype(type_of(sides.recvtype));
}

void take_collective(Event& event, const RecordedEvent& recorded, const Communicator& comm, std::int32_t peers,
                     bool events_lost) {
  const Slot& slot = recorded.slot();
  if (is_rooted(event.op)) event.root = valid_root(slot.peer, comm, peers);
  event.count = valid_count(slot.count);
  if (events_lost) event.extras.set_coll_seq(slot.matched);
  if (!recorded.sides.empty()) take_sides(event, recorded.sides.front());
  if (!recorded.counts.empty()) event.extras.set_counts(recorded.counts);
  if (!recorded.sendcounts.empty()) event.extras.set_sendcounts(recorded.sendcounts);
  if (!recorded.recvcounts.empty()) event.extras.set_recvcounts(recorded.recvcounts);
}

// This rank's neighbours are known when the communicator is there; a grid's extents before.
void take_topology(Event& event, const RecordedEvent& recorded, const ProcessFacts& facts) {
  const bool sensible =
      std::all_of(recorded.dims.begin(), recorded.dims.end(), [](auto extent) { return extent >= 0; });
  if (!recorded.dims.empty() && sensible) event.extras.set_dims(recorded.dims);
  if (!recorded.periods.empty()) event.extras.set_periods(recorded.periods);
  const auto topology = facts.topologies.find(recorded.slot().result);
  if (recorded.slot().result <= record::kSelfComm || topology == facts.topologies.end()) return;
  EventExtras& extras = event.extras;
  extras.set_sources(topology->second.sources);
  extras.set_destinations(topology->second.destinations);
  extras.set_dims(topology->second.dims);
  extras.set_periods(topology->second.periods);
}

void take_intercomm(Event& event, const Slot& slot, CommNames& comms, std::int32_t peers) {
  event.root = slot.matched >= 0 ? valid_rank(slot.matched, peers) : kUnset;
  event.tag = valid_tag(slot.tag);
  if (slot.count < 0 || slot.count > std::numeric_limits<std::int32_t>::max()) return;
  const Communicator& bridge = comms.at(comms.index_of(static_cast<std::int32_t>(slot.count)));
  event.extras.set_remote(bridge.name);
  event.peer = valid_rank(slot.peer, peers_in(bridge, comms.rank()));
}

void take_creation(Event& event, const RecordedEvent& recorded, CommNames& comms, const ProcessFacts& facts,
                   std::int32_t peers, bool events_lost) {
  const Slot& slot = recorded.slot();
  if (events_lost && is_positional(event.op)) event.extras.set_coll_seq(slot.matched);
  if (is_rooted(event.op)) event.root = valid_root(slot.peer, comms.at(event.comm), peers);
  if (kind_of(event.op) == OpKind::comm_create && slot.result > record::kSelfComm) {
    event.extras.set_new_comm(comms.index_of(slot.result));
    take_topology(event, recorded, facts);
  }
  if (event.op == Op::comm_create_group) event.tag = valid_tag(slot.tag);
  if (event.op == Op::intercomm_create) take_intercomm(event, slot, comms, peers);
  if (event.op == Op::intercomm_merge) event.extras.set_key(slot.tag);
  if (event.op == Op::comm_split || event.op == Op::comm_split_type) {
    if (slot.peer >= 0 || slot.peer == kNull) event.extras.set_color(slot.peer);
    event.extras.set_key(slot.tag);
  }
  if (!recorded.ranks.empty()) event.extras.set_ranks(recorded.ranks);
  if (!recorded.text.empty()) event.extras.set_value({recorded.text.begin(), recorded.text.end()});
}

// One partition, those from one to another, or a list of them.
void take_partitions(Event& event, const RecordedEvent& recorded) {
  constexpr std::int32_t kMost = 1 << 20;
  const Slot& slot = recorded.slot();
  std::vector<std::uint32_t> indices;
  for (const std::int32_t partition : recorded.indices)
    if (partition >= 0) indices.push_back(static_cast<std::uint32_t>(partition));
  if (event.op == Op::pready_range) {
    for (std::int32_t i = slot.peer; i >= 0 && i <= slot.tag && i - slot.peer < kMost; ++i)
      indices.push_back(static_cast<std::uint32_t>(i));
  } else if (slot.peer >= 0) {
    event.extras.set_index(slot.peer);
  }
  event.extras.set_indices(indices);
}

// Requests of a wait or test, and which of them it completed.
void take_requests(Event& event, const RecordedEvent& recorded) {
  const Slot& slot = recorded.slot();
  if (recorded.requests.empty()) return;
  std::vector<std::uint32_t> requests, indices;
  const bool completed = event.state == EventState::completed;
  std::vector<std::int32_t> place(recorded.requests.size(), -1);  // in the list without null requests
  for (std::size_t i = 0; i < recorded.requests.size(); ++i) {
    const std::uint32_t number = recorded.requests[i] & ~record::kRequestDone;
    if (number == record::kNullRequest) continue;
    place[i] = static_cast<std::int32_t>(requests.size());
    if ((recorded.requests[i] & record::kRequestDone) != 0) indices.push_back(static_cast<std::uint32_t>(place[i]));
    requests.push_back(number);
  }
  event.extras.set_requests(requests);
  event.extras.set_indices(indices);
  const bool any = event.op == Op::waitany || event.op == Op::testany;
  if (completed && any && slot.matched >= 0 && static_cast<std::size_t>(slot.matched) < place.size() &&
      place[static_cast<std::size_t>(slot.matched)] >= 0)
    event.extras.set_index(place[static_cast<std::size_t>(slot.matched)]);
}

// A matched probe takes a message out of the queue under a number, which the matched receive names instead of a source.
void take_message_number(Event& event, const Slot& slot) {
  const bool probes = event.op == Op::mprobe || event.op == Op::improbe;
  const bool receives = event.op == Op::mrecv || event.op == Op::imrecv;
  if (probes) {
    if (slot.count >= 0) event.extras.set_message(slot.count);
    event.count = kUnknownCount;
  } else if (receives) {
    if (slot.peer >= 0) event.extras.set_message(slot.peer);
    event.peer = kUnset;
    event.tag = kUnset;
  }
}

void take_flag(Event& event, const Slot& slot) {
  if ((slot.flags & record::kFlagKnown) == 0) return;
  event.flag = (slot.flags & record::kFlagTrue) != 0 ? 1 : 0;
  const bool polls = form_of(event.op) == OpForm::nonblocking;
  if (polls && event.flag == 0 && slot.result > 0) event.extras.set_polls(static_cast<std::uint64_t>(slot.result));
}

Summary to_summary(const record::Boundary& boundary) {
  Summary summary;
  summary.digest = "xxh3-128:";
  for (const unsigned char byte : boundary.digest) summary.digest += fmt::format("{:02x}", byte);
  if (std::isnan(boundary.norm)) return summary;
  summary.min = boundary.min;
  summary.max = boundary.max;
  summary.sum = boundary.sum;
  summary.norm = boundary.norm;
  if (boundary.nan > 0) summary.nan = boundary.nan;
  if (boundary.inf > 0) summary.inf = boundary.inf;
  return summary;
}

// The error's class and meaning, with the argument where it is one that the format cannot hold. An abort stands for a
// call that is not recorded.
std::string error_text(const RecordedEvent& recorded, const ProcessFacts& facts, std::int32_t peers) {
  const Slot& slot = recorded.slot();
  const auto known = facts.error_names.find(slot.error);
  std::string text = known != facts.error_names.end() ? known->second : fmt::format("error {}", slot.error);
  if (static_cast<Op>(slot.op) == Op::abort && !recorded.text.empty())
    return fmt::format("{}, in {}", text, std::string(recorded.text.begin(), recorded.text.end()));
  const bool of_window = kind_of(static_cast<Op>(slot.op)) == OpKind::rma;
  std::int32_t rank = of_window ? slot.matched : slot.peer, tag = slot.tag;
  if (!recorded.sides.empty() && kind_of(static_cast<Op>(slot.op)) == OpKind::sendrecv) {
    const record::Sides& sides = recorded.sides.front();
    rank = valid_rank(sides.sendpeer, peers) == kUnset ? sides.sendpeer : sides.recvpeer;
    tag = valid_tag(sides.sendtag) == kUnset ? sides.sendtag : sides.recvtag;
  }
  const bool about_rank = text.starts_with("MPI_ERR_RANK") || text.starts_with("MPI_ERR_ROOT");
  if (about_rank && rank != kUnset && valid_rank(rank, peers) == kUnset) text += fmt::format(" {} of {}", rank, peers);
  if (text.starts_with("MPI_ERR_TAG") && tag != kUnset && valid_tag(tag) == kUnset) text += fmt::format(" {}", tag);
  return text;
}

void take_rest(Event& event, const RecordedEvent& recorded, const ProcessFacts& facts, std::int32_t peers) {
  const Slot& slot = recorded.slot();
  if (!recorded.buffers.empty()) {
    const record::Buffers& buffers = recorded.buffers.front();
    if (buffers.send_bytes > 0) event.extras.set_sendbuffer(Buffer{buffers.send_address, buffers.send_bytes});
    if (buffers.recv_bytes > 0) event.extras.set_recvbuffer(Buffer{buffers.recv_address, buffers.recv_bytes});
  }
  if (!recorded.in.empty()) event.extras.set_in(to_summary(recorded.in.front()));
  if (!recorded.out.empty()) event.extras.set_out(to_summary(recorded.out.front()));
  if (slot.error != 0) event.extras.set_error(error_text(recorded, facts, peers));
  if (const int thread = record::thread_in(slot.state.load(std::memory_order_relaxed)); thread != 0)
    event.extras.set_thread(thread);
  if ((slot.flags & record::kListCut) != 0) add_free_key(event, "x_list_cut", "true");
}

// A slot has room for more than its operation's arguments, and damage may have filled it.
void drop_foreign_arguments(Event& event) {
  const auto lacks = [&](Key key) { return !takes(event.op, key); };
  if (lacks(Key::dtype_)) event.dtype = ElementType::unknown;
  if (lacks(Key::reduce_)) event.reduce = ReduceOp::unknown;
  if (lacks(Key::count_)) event.count = kUnknownCount;
  if (lacks(Key::request_)) event.request = kNoRequest;
  if (lacks(Key::matched_)) event.extras.set_matched(kUnset);
  if (lacks(Key::tag_)) event.tag = kUnset;
  if (lacks(Key::comm_)) event.comm = 0;
  if (lacks(Key::flag_)) event.flag = -1;
  if (lacks(Key::coll_seq_)) event.extras.set_coll_seq(kUnset);
  if (event.extras.empty()) return;
  EventExtras& extras = event.extras;
  if (lacks(Key::polls_)) extras.set_polls(0);
  if (lacks(Key::index_)) extras.set_index({});
  if (lacks(Key::indices_)) extras.set_indices({});
  if (lacks(Key::requests_)) extras.set_requests({});
  if (lacks(Key::ranks_)) extras.set_ranks({});
  if (lacks(Key::assert_)) extras.set_assertions({});
  if (lacks(Key::counts_)) extras.set_counts({});
  if (lacks(Key::in_)) {
    forget_buffers(event);
  }
  if (lacks(Key::sendbuffer_)) {
    extras.set_sendbuffer({});
    extras.set_recvbuffer({});
  }
}

}  // namespace

Event to_event(const RecordedEvent& recorded, CommNames& comms, const ProcessFacts& facts, bool events_lost) {
  const Slot& slot = recorded.slot();
  Event event;
  event.op = static_cast<Op>(slot.op);
  event.state = record::state_in(slot.state.load(std::memory_order_relaxed));
  event.dtype = type_of(slot.dtype);
  event.reduce = enum_or_unknown(slot.reduce, ReduceOp::user);
  event.comm = comms.index_of(slot.comm);
  event.request = slot.request;
  const std::int32_t peers = peers_in(comms.at(event.comm), comms.rank());
  switch (kind_of(event.op)) {
    case OpKind::send:
    case OpKind::recv:
    case OpKind::probe: take_point_to_point(event, slot, peers); break;
    case OpKind::sendrecv:
      if (!recorded.sides.empty()) take_sendrecv(event, slot, recorded.sides.front(), peers);
      break;
    case OpKind::start: event.extras.set_matched(valid_rank(slot.matched, peers)); break;
    case OpKind::collective: take_collective(event, recorded, comms.at(event.comm), peers, events_lost); break;
    case OpKind::comm_create:
    case OpKind::comm_free: take_creation(event, recorded, comms, facts, peers, events_lost); break;
    case OpKind::window: take_window(event, recorded, comms.at(event.comm), peers, events_lost); break;
    case OpKind::rma: take_rma(event, recorded, comms.at(event.comm), peers); break;
    case OpKind::file: take_file(event, recorded, comms.at(event.comm), events_lost); break;
    case OpKind::partition: take_partitions(event, recorded); break;
    case OpKind::wait:
    case OpKind::test: take_requests(event, recorded); break;
    default: break;
  }
  take_message_number(event, slot);
  take_flag(event, slot);
  take_rest(event, recorded, facts, peers);
  drop_foreign_arguments(event);
  return event;
}

}  // namespace petri
