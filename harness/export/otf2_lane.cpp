#include "harness/export/otf2_lane.hpp"

#include <algorithm>
#include <optional>

#include "harness/export/otf2_sizes.hpp"

namespace petri {
namespace {

constexpr std::string_view kStates[] = {"unknown", "scheduled", "started", "completed"};

// OTF2_CollectiveOp of what moves data; nothing for neighbours' collectives, of which OTF2 has none.
std::optional<OTF2_CollectiveOp> collective_of(Op op) {
  static constexpr std::pair<std::string_view, OTF2_CollectiveOp> kOperations[] = {
      {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
      {"bcast", OTF2_COLLECTIVE_OP_BCAST},
      {"gather", OTF2_COLLECTIVE_OP_GATHER},
      {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
      {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
      {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
      {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
      {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
      {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
      {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
      {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
      {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
      {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
      {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
      {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
      {"scan", OTF2_COLLECTIVE_OP_SCAN},
      {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
  };
  if (kind_of(op) == OpKind::comm_create) return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  if (kind_of(op) == OpKind::comm_free) return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
  if (kind_of(op) != OpKind::collective) return std::nullopt;
  for (const auto& [family, operation] : kOperations)
    if (info(op).family == family) return operation;
  return std::nullopt;
}

template <class T>
T either(T one, T none, T other) {
  return one == none ? other : one;
}

std::uint64_t bytes_of(std::int64_t count, ElementType type) {
  return count < 0 ? 0 : static_cast<std::uint64_t>(count) * size_of(type);
}

std::uint32_t tag_number(std::int32_t tag) {
  return tag < 0 ? 0 : static_cast<std::uint32_t>(tag);
}

}  // namespace

Otf2Requested::Otf2Requested(const Scenario& scenario, std::int32_t rank) {
  for (const Event& event : scenario.ranks[static_cast<std::size_t>(rank)].events) {
    if (event.request == kNoRequest) continue;
    switch (kind_of(event.op)) {
      case OpKind::send:
      case OpKind::recv:
      case OpKind::sendrecv:
      case OpKind::collective: begun_[event.request] = &event; break;
      default: break;
    }
  }
}

const Event* Otf2Requested::find(std::uint32_t request) const {
  const auto found = begun_.find(request);
  return found == begun_.end() ? nullptr : found->second;
}

Otf2Lane::Otf2Lane(const Scenario& scenario, const std::vector<CallSpan>& spans, Otf2Names& names,
                   const Otf2Requested& requested, std::int32_t rank, bool numbered, OTF2_EvtWriter* writer)
    : scenario_(scenario),
      spans_(spans),
      names_(names),
      requested_(requested),
      rank_(rank),
      numbered_(numbered),
      writer_(writer),
      attributes_(OTF2_AttributeList_New()) {}

Otf2Lane::~Otf2Lane() {
  OTF2_AttributeList_Delete(attributes_);
}

void Otf2Lane::write(std::uint32_t index) {
  const Event& event = scenario_.ranks[static_cast<std::size_t>(rank_)].events[index];
  const CallSpan& span = spans_[index];
  if (!span.reached) return add_not_reached(index);
  const OTF2_RegionRef region = names_.region(scenario_, event);
  put_attributes(index, span);
  check(OTF2_EvtWriter_Enter(writer_, attributes_, span.enter, region));
  put_begin(event, span);
  if (!span.ended) return;
  put_end(event, span);
  check(OTF2_EvtWriter_Leave(writer_, nullptr, span.leave, region));
}

// All that makes the event what it is but its operation and, where `implied` tells it, its state.
void Otf2Lane::each_argument(std::uint32_t index, EventState implied,
                             const std::function<void(std::string_view, const FieldValue&)>& visit) const {
  const Event& event = scenario_.ranks[static_cast<std::size_t>(rank_)].events[index];
  if (numbered_ || event.seq != index) visit("seq", std::int64_t{event.seq});
  if (event.comm != 0) visit("comm", std::int64_t{event.comm});
  if (event.extras.new_comm() != kNoComm) visit("new", std::int64_t{event.extras.new_comm()});
  for_each_field(event, visit);
  if (event.state != implied) visit("state", std::string(kStates[static_cast<std::size_t>(event.state)]));
  if (event.site != kNoSymbol) visit("site", scenario_.site_of(event));
}

void Otf2Lane::put_attributes(std::uint32_t index, const CallSpan& span) {
  const EventState implied = span.ended ? EventState::completed : EventState::started;
  each_argument(index, implied, [&](std::string_view key, const FieldValue& field) {
    OTF2_AttributeValue value;
    OTF2_Type type = OTF2_TYPE_INT64;
    if (const auto* text = std::get_if<std::string>(&field)) {
      type = OTF2_TYPE_STRING;
      value.stringRef = names_.text(*text);
    } else {
      value.int64 = std::get<std::int64_t>(field);
    }
    check(OTF2_AttributeList_AddAttribute(attributes_, names_.attribute(key, type), type, value));
  });
}

void Otf2Lane::add_not_reached(std::uint32_t index) {
  const Event& event = scenario_.ranks[static_cast<std::size_t>(rank_)].events[index];
  if (!not_reached_.empty()) not_reached_ += '\x1e';
  not_reached_ += name_of(event.op);
  each_argument(index, EventState::unknown, [&](std::string_view key, const FieldValue& field) {
    not_reached_ += '\x1f' + std::string(key) + '=';
    const std::string* const text = std::get_if<std::string>(&field);
    std::string value = text != nullptr ? *text : '#' + std::to_string(std::get<std::int64_t>(field));
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '\x1e' || c == '\x1f'; }, ' ');
    not_reached_ += value;
  });
}

Otf2Lane::Side Otf2Lane::sends(const Event& event) {
  const EventExtras& extras = event.extras;
  return {either(extras.sendpeer(), kUnset, event.peer), either(extras.sendtag(), kUnset, event.tag),
          bytes_of(either(extras.sendcount(), kUnknownCount, event.count),
                   either(extras.sendtype(), ElementType::unknown, event.dtype))};
}

// By what it got, where that is recorded.
Otf2Lane::Side Otf2Lane::receives(const Event& event) {
  const EventExtras& extras = event.extras;
  const std::int32_t named = either(extras.recvpeer(), kUnset, event.peer);
  return {named == kAny ? extras.matched() : named, either(extras.recvtag(), kUnset, event.tag),
          bytes_of(either(extras.recvcount(), kUnknownCount, event.count),
                   either(extras.recvtype(), ElementType::unknown, event.dtype))};
}

bool Otf2Lane::is_peer(const Event& event, std::int32_t peer) const {
  const Communicator& comm = scenario_.comm_of(event);
  return peer >= 0 && comm.known && static_cast<std::size_t>(peer) < comm.peers_of(rank_).size();
}

OTF2_CollectiveRoot Otf2Lane::root_of(const Event& event) const {
  if (event.root == kRootHere) return OTF2_COLLECTIVE_ROOT_SELF;
  if (event.root == kNull) return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  return is_peer(event, event.root) ? static_cast<OTF2_CollectiveRoot>(event.root)
                                    : static_cast<OTF2_CollectiveRoot>(OTF2_COLLECTIVE_ROOT_NONE);
}

void Otf2Lane::put_begin(const Event& event, const CallSpan& span) {
  const OTF2_CommRef comm = Otf2Names::comm(event.comm);
  const OpForm form = form_of(event.op);
  if (form == OpForm::persistent) return;
  const bool numbered = event.request != kNoRequest;
  switch (kind_of(event.op)) {
    case OpKind::send:
    case OpKind::sendrecv: {
      const Side side = sends(event);
      if (!is_peer(event, side.peer)) break;
      const auto peer = static_cast<std::uint32_t>(side.peer);
      if (form == OpForm::blocking)
        check(OTF2_EvtWriter_MpiSend(writer_, nullptr, span.enter, peer, comm, tag_number(side.tag), side.bytes));
      else if (numbered && kind_of(event.op) == OpKind::send)
        check(OTF2_EvtWriter_MpiIsend(writer_, nullptr, span.enter, peer, comm, tag_number(side.tag), side.bytes,
                                      event.request));
      break;
    }
    case OpKind::recv:
      if (form == OpForm::nonblocking && numbered)
        check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, span.enter, event.request));
      break;
    case OpKind::collective:
      if (!collective_of(event.op)) break;
      if (form == OpForm::blocking)
        check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, span.enter));
      else if (numbered)
        check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, span.enter, event.request));
      break;
    case OpKind::comm_create:
    case OpKind::comm_free:
      if (form == OpForm::blocking) check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, span.enter));
      break;
    default: break;
  }
}

void Otf2Lane::put_end(const Event& event, const CallSpan& span) {
  const OTF2_CommRef comm = Otf2Names::comm(event.comm);
  const OpKind kind = kind_of(event.op);
  if (kind == OpKind::wait || kind == OpKind::test) return put_completions(event, span.leave);
  if (kind == OpKind::rma || kind == OpKind::window) return put_window(event, span);
  if (form_of(event.op) != OpForm::blocking) return;
  if (kind == OpKind::recv || kind == OpKind::sendrecv) {
    const Side side = receives(event);
    if (is_peer(event, side.peer))
      check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, span.leave, static_cast<std::uint32_t>(side.peer), comm,
                                   tag_number(side.tag), side.bytes));
    return;
  }
  const std::optional<OTF2_CollectiveOp> operation = collective_of(event.op);
  if (!operation) return;
  if (kind == OpKind::comm_create && event.extras.new_comm() != kNoComm)
    check(OTF2_EvtWriter_CommCreate(writer_, nullptr, span.leave, Otf2Names::comm(event.extras.new_comm())));
  if (kind == OpKind::comm_free) check(OTF2_EvtWriter_CommDestroy(writer_, nullptr, span.leave, comm));
  const CollectiveSizes sizes =
      kind == OpKind::collective ? collective_sizes(scenario_, rank_, event) : CollectiveSizes{};
  check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, span.leave, *operation, comm, root_of(event), sizes.sent,
                                        sizes.received));
}

// Which requests a call has completed, as far as the record says it.
void Otf2Lane::put_completions(const Event& event, std::uint64_t time) {
  std::vector<std::uint32_t> requests = event.extras.requests();
  if (event.request != kNoRequest) requests.push_back(event.request);
  std::vector<std::uint32_t> done;
  if (event.extras.index()) {
    const std::int32_t index = *event.extras.index();
    if (index >= 0 && static_cast<std::size_t>(index) < requests.size())
      done.push_back(requests[static_cast<std::size_t>(index)]);
  } else if (!event.extras.indices().empty()) {
    for (const std::uint32_t index : event.extras.indices())
      if (index < requests.size()) done.push_back(requests[index]);
  } else if (event.op == Op::wait || event.op == Op::waitall ||
             ((event.op == Op::test || event.op == Op::testall) && event.flag == 1)) {
    done = requests;
  }
  for (const std::uint32_t request : done) put_completion(request, time);
  if (kind_of(event.op) != OpKind::test) return;
  for (const std::uint32_t request : requests)
    if (std::find(done.begin(), done.end(), request) == done.end())
      check(OTF2_EvtWriter_MpiRequestTest(writer_, nullptr, time, request));
}

void Otf2Lane::put_completion(std::uint32_t request, std::uint64_t time) {
  const Event* const begun = requested_.find(request);
  if (begun == nullptr || form_of(begun->op) != OpForm::nonblocking) return;
  const OTF2_CommRef comm = Otf2Names::comm(begun->comm);
  switch (kind_of(begun->op)) {
    case OpKind::send:
      if (is_peer(*begun, begun->peer)) check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, time, request));
      break;
    case OpKind::recv: {
      const Side side = receives(*begun);
      if (is_peer(*begun, side.peer))
        check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time, static_cast<std::uint32_t>(side.peer), comm,
                                      tag_number(side.tag), side.bytes, request));
      break;
    }
    case OpKind::collective: {
      const std::optional<OTF2_CollectiveOp> operation = collective_of(begun->op);
      if (!operation) break;
      const CollectiveSizes sizes = collective_sizes(scenario_, rank_, *begun);
      check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, time, *operation, comm, root_of(*begun),
                                                         sizes.sent, sizes.received, request));
      break;
    }
    default: break;
  }
}

void Otf2Lane::put_window(const Event& event, const CallSpan& span) {
  const std::string& name = event.extras.win();
  if (name.empty() || !scenario_.comm_of(event).known) return;
  const OTF2_RmaWinRef window = names_.window(name, event.comm);
  const std::int32_t target = event.extras.target().value_or(kUnset);
  const auto remote = static_cast<std::uint32_t>(target);
  switch (event.op) {
    case Op::win_create:
    case Op::win_create_dynamic:
    case Op::win_allocate:
    case Op::win_allocate_shared: check(OTF2_EvtWriter_RmaWinCreate(writer_, nullptr, span.leave, window)); break;
    case Op::win_free: check(OTF2_EvtWriter_RmaWinDestroy(writer_, nullptr, span.leave, window)); break;
    case Op::win_lock:
    case Op::win_unlock:
      if (!is_peer(event, target)) break;
      if (event.op == Op::win_unlock)
        check(OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, span.leave, window, remote, 0));
      else
        check(OTF2_EvtWriter_RmaAcquireLock(
            writer_, nullptr, span.leave, window, remote, 0,
            static_cast<OTF2_LockType>(event.extras.lock() == "shared" ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE)));
      break;
    case Op::put:
    case Op::get:
      if (is_peer(event, target)) {
        const std::uint64_t bytes = bytes_of(event.count, event.dtype);
        check(event.op == Op::put ? OTF2_EvtWriter_RmaPut(writer_, nullptr, span.leave, window, remote, bytes, 0)
                                  : OTF2_EvtWriter_RmaGet(writer_, nullptr, span.leave, window, remote, bytes, 0));
      }
      break;
    default: break;
  }
}

}  // namespace petri
