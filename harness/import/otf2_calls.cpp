#include "harness/import/otf2_calls.hpp"

#include <algorithm>
#include <utility>

namespace petri {
namespace {

// Calls that may stand in the scenario though nothing but their region is recorded.
bool needs_no_record(Op op) {
  return op == Op::init || op == Op::init_thread || op == Op::finalize || op == Op::abort;
}

// One that returned and was given nothing that is recorded holds nobody up and tells nothing.
bool is_left_out_in_silence(Op op) {
  switch (kind_of(op)) {
    case OpKind::collective:
    case OpKind::comm_create:
    case OpKind::comm_free:
    case OpKind::window:
    case OpKind::rma:
    case OpKind::file: return false;
    default: return true;
  }
}

}  // namespace

Otf2Calls::Otf2Calls(const Otf2Definitions& definitions, Scenario& scenario, Otf2Requests& requests, Otf2Gaps& gaps,
                     Otf2Definitions::Location place)
    : definitions_(definitions), scenario_(scenario), requests_(requests), gaps_(gaps), place_(std::move(place)) {}

std::int32_t Otf2Calls::comm_of(std::uint32_t reference) {
  const auto [known, is_new] = comms_.try_emplace(reference, kNoComm);
  if (is_new) known->second = definitions_.comm(scenario_, reference, place_.rank);
  return known->second;
}

Otf2Requests::Map::iterator Otf2Calls::find(std::uint64_t request) {
  const auto mine = requests_.open.find({request, this});
  if (mine != requests_.open.end()) return mine;
  const auto other = requests_.open.lower_bound({request, nullptr});  // one thread may complete what another began
  return other != requests_.open.end() && other->first.first == request ? other : requests_.open.end();
}

std::vector<std::uint32_t> Otf2Calls::open_requests() const {
  std::vector<std::uint32_t> numbers;
  for (const auto& [key, open] : requests_.open)
    if (key.second == this) numbers.push_back(open.number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void Otf2Calls::push(Event event, std::uint64_t time, EventState state) {
  event.state = state;
  if (place_.thread != 0 && !definitions_.is_own()) event.extras.set_thread(place_.thread);
  events.push_back(std::move(event));
  times.push_back(time);
}

void Otf2Calls::leave_out(const Call& call) {
  if (call.op && !is_left_out_in_silence(*call.op)) ++gaps_.left_out[std::string(name_of(*call.op))];
}

// One on a communicator that is not defined, or not for this rank.
void Otf2Calls::leave_out_record(const char* op) {
  ++gaps_.left_out[op];
}

void Otf2Calls::begin(std::optional<Op> op, std::uint64_t time) {
  call_ = Call{};
  call_->op = op;
  call_->time = time;
  if (op) call_->event.op = *op;
}

void Otf2Calls::enter(const Otf2Record& record) {
  if (call_) {
    ++depth_;
    return;
  }
  const std::optional<Op> op = definitions_.operation(record.a);
  if (!op) return;
  begin(op, record.time);
  depth_ = 1;
  if (!definitions_.is_own()) return;
  for (const Otf2Record& attribute : attributes_) {
    const std::string& name = definitions_.attribute(attribute.a);
    const FieldValue value = attribute.c == 1 ? FieldValue(static_cast<std::int64_t>(attribute.x))
                                              : FieldValue(definitions_.text(attribute.b));
    take_argument(name, value, call_->event, call_->stated);
  }
}

void Otf2Calls::leave() {
  if (!call_ || depth_ == 0 || --depth_ > 0) return;
  Call call = std::move(*call_);
  call_.reset();
  complete(call);
}

void Otf2Calls::end_bare() {
  if (!call_ || depth_ > 0) return;
  Call call = std::move(*call_);
  call_.reset();
  complete(call);
}

void Otf2Calls::take(const Otf2Record& record) {
  if (record.kind == Otf2Kind::attribute) {
    attributes_.push_back(record);
    return;
  }
  switch (record.kind) {
    case Otf2Kind::enter: enter(record); break;
    case Otf2Kind::leave: leave(); break;
    case Otf2Kind::program_end: exit_status = static_cast<std::int64_t>(record.x); break;
    case Otf2Kind::thread_end:  // as EZTrace has it for the main thread, too, and nothing else
      if (place_.thread == 0 && !call_) finalized = true;
      break;
    case Otf2Kind::measurement_off: off_ = true; break;
    case Otf2Kind::measurement_on:
      if (off_) ++gaps_.off;
      off_ = false;
      break;
    default:
      if (!definitions_.is_own()) take_standard(record);
  }
  attributes_.clear();
}

void Otf2Calls::complete(Call& call) {
  if (definitions_.is_own()) return push(std::move(call.event), call.time, call.stated.value_or(EventState::completed));
  if (!call.op) return;
  const OpKind kind = kind_of(*call.op);
  if (*call.op == Op::finalize) finalized = true;
  if (kind == OpKind::wait || kind == OpKind::test) return finish_wait(call);
  if (!call.makes_event) return;
  if (*call.op == Op::irecv && !call.recorded && definitions_.names_no_requests()) return post_unnamed(call.time);
  if (!call.recorded && !needs_no_record(*call.op)) return leave_out(call);
  if (kind == OpKind::sendrecv) {  // a side of which nothing is recorded had no partner
    if (!call.sent) call.event.extras.set_sendpeer(kNull);
    if (!call.received) call.event.extras.set_recvpeer(kNull);
  }
  if (call.op == Op::mrecv || call.op == Op::recv) call.event.op = Op::recv;
  push(std::move(call.event), call.time, EventState::completed);
}

void Otf2Calls::finish_wait(Call& call) {
  Event& event = call.event;
  const bool is_test = kind_of(*call.op) == OpKind::test;
  std::vector<std::uint32_t> requests = call.completed;
  requests.insert(requests.end(), call.tested.begin(), call.tested.end());
  if (requests.empty()) return;
  const bool one = *call.op == Op::wait || *call.op == Op::test || *call.op == Op::request_get_status;
  if (is_test) event.flag = !call.completed.empty() && (call.tested.empty() || *call.op != Op::testall);
  if (one) {
    event.request = requests.front();
  } else {
    event.extras.set_requests(requests);
    const bool any = *call.op == Op::waitany || (*call.op == Op::testany && !call.completed.empty());
    const bool some = *call.op == Op::waitsome || (*call.op == Op::testsome && !call.completed.empty());
    if (any) event.extras.set_index(0);
    if (some) {
      std::vector<std::uint32_t> indices(call.completed.size());
      for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::uint32_t>(i);
      event.extras.set_indices(indices);
    }
  }
  // Polls in vain of the same requests are one event.
  if (is_test && event.flag == 0 && !events.empty()) {
    Event& last = events.back();
    if (last.op == event.op && last.flag == 0 && last.request == event.request &&
        last.extras.requests() == event.extras.requests()) {
      last.extras.set_polls(std::max<std::uint64_t>(1, last.extras.polls()) + 1);
      return;
    }
  }
  push(std::move(event), call.time, EventState::completed);
}

void Otf2Calls::finish() {
  for (Event& event : events)
    if (event.comm == kNoComm && event.op != Op::irecv) {  // a request that nothing has completed
      event.comm = definitions_.unnamed_comm(scenario_, place_.rank);
      ++gaps_.unnamed;
    }
  if (!call_) return;
  Call call = std::move(*call_);
  call_.reset();
  in_flight = call.op.has_value();
  if (call.op) leave_in_flight(call);
}

void Otf2Calls::leave_in_flight(Call& call) {
  if (definitions_.is_own()) return push(std::move(call.event), call.time, call.stated.value_or(EventState::started));
  if (!call.makes_event) return;
  Event& event = call.event;
  switch (kind_of(*call.op)) {
    case OpKind::wait: {
      const std::vector<std::uint32_t> open = open_requests();
      if (*call.op == Op::wait) {
        if (open.size() == 1) event.request = open.front();
      } else if (!open.empty()) {
        event.extras.set_requests(open);
        ++gaps_.guessed_waits;
      }
      break;
    }
    case OpKind::test:
    case OpKind::request:
    case OpKind::host:
    case OpKind::device: return;
    case OpKind::world: break;
    default:
      if (call.recorded) break;
      event.comm = definitions_.unnamed_comm(scenario_, place_.rank);
      ++gaps_.unnamed;
  }
  push(std::move(event), call.time, EventState::started);
}

}  // namespace petri
