// Faults in the calls of the job itself, where nothing was added: in the culprit's step, before the meeting of all.
#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/jobs/plants.hpp"

namespace petri::jobs::plants {
namespace {

// The culprit's calls, and which of them are its step's up to the meeting.
class OwnCalls {
 public:
  explicit OwnCalls(Phase& phase)
      : scenario_(phase.scenario()),
        events_(scenario_.ranks[static_cast<std::size_t>(phase.culprit())].events),
        end_(phase.meeting()) {
    while (begin_ < end_ && events_[begin_].step != phase.step()) ++begin_;
  }

  template <class Test>
  std::size_t first(const Test& test) const {
    for (std::size_t index = begin_; index < end_; ++index)
      if (test(events_[index])) return index;
    throw NoPlace("the job makes no such call");
  }
  template <class Test>
  std::size_t last(const Test& test) const {
    for (std::size_t index = end_; index-- > begin_;)
      if (test(events_[index])) return index;
    throw NoPlace("the job makes no such call");
  }
  std::size_t middle() const { return begin_ + (end_ - begin_) / 2; }

  // With the completion of its request.
  void leave_out(std::size_t index) {
    const std::uint32_t request = events_[index].request;
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(index));
    if (request != kNoRequest) forget(request);
  }

  // Nobody waits for the request any more.
  void forget(std::uint32_t request) {
    for (Event& event : events_) {
      std::vector<std::uint32_t> others = event.extras.requests();
      if (std::erase(others, request) != 0) event.extras.set_requests(others);
    }
    std::erase_if(events_, [&](const Event& event) { return event.op == Op::wait && event.request == request; });
  }

  // The smallest of the communicators of several ranks on which the step calls a collective.
  std::int32_t smallest_group() const {
    std::int32_t smallest = kNoComm;
    for (std::size_t index = begin_; index < end_; ++index) {
      const Event& event = events_[index];
      if (kind_of(event.op) != OpKind::collective || size(event.comm) < 2) continue;
      if (smallest == kNoComm || size(event.comm) < size(smallest)) smallest = event.comm;
    }
    return smallest;
  }

  std::vector<Event>& events() { return events_; }

 private:
  std::size_t size(std::int32_t comm) const { return scenario_.comms[static_cast<std::size_t>(comm)].ranks.size(); }

  Scenario& scenario_;
  std::vector<Event>& events_;
  std::size_t begin_ = 0, end_;
};

}  // namespace

Culprits own_send_left_out(Phase& phase) {
  OwnCalls calls(phase);
  calls.leave_out(calls.last([](const Event& event) { return kind_of(event.op) == OpKind::send && event.peer >= 0; }));
  return {phase.culprit()};
}

Culprits own_receive_left_out(Phase& phase) {
  OwnCalls calls(phase);
  calls.leave_out(calls.last([](const Event& event) { return kind_of(event.op) == OpKind::recv && event.peer >= 0; }));
  return {phase.culprit()};
}

Culprits own_message_with_wrong_tag(Phase& phase) {
  OwnCalls calls(phase);
  const auto sent = calls.last([](const Event& event) { return kind_of(event.op) == OpKind::send && event.peer >= 0; });
  calls.events()[sent].tag += 100;
  return {phase.culprit()};
}

Culprits own_collective_left_out(Phase& phase) {
  OwnCalls calls(phase);
  const std::int32_t group = calls.smallest_group();
  calls.leave_out(
      calls.first([&](const Event& event) { return kind_of(event.op) == OpKind::collective && event.comm == group; }));
  return {phase.culprit()};
}

Culprits own_finalize_in_the_middle(Phase& phase) {
  OwnCalls calls(phase);
  auto& events = calls.events();
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(calls.middle()), std::prev(events.end()));
  return {phase.culprit()};
}

// The messages and collectives are all made; only that they are complete is never asked.
Culprits own_wait_left_out(Phase& phase) {
  OwnCalls calls(phase);
  calls.events().erase(calls.events().begin() + static_cast<std::ptrdiff_t>(calls.last([](const Event& event) {
                         return kind_of(event.op) == OpKind::wait;
                       })));
  return {phase.culprit()};
}

// The request of a collective, which nobody may free while it is active.
Culprits own_request_freed(Phase& phase) {
  OwnCalls calls(phase);
  const auto begun = calls.last([](const Event& event) {
    return kind_of(event.op) == OpKind::collective && form_of(event.op) == OpForm::nonblocking;
  });
  const std::uint32_t request = calls.events()[begun].request;
  calls.forget(request);
  Event freed = call(Op::request_free);
  freed.request = request;
  freed.step = phase.step();
  freed.site = phase.scenario().symbols.intern("cleanup.cpp:7");
  calls.events().insert(calls.events().begin() + static_cast<std::ptrdiff_t>(begun) + 1, std::move(freed));
  return {phase.culprit()};
}

}  // namespace petri::jobs::plants
