#include <algorithm>

#include "tests/jobs/plants.hpp"

namespace petri::jobs::plants {
namespace {

constexpr std::int64_t kLarge = 131072, kActivations = 65536;  // float64
constexpr std::int32_t kProbed = 5, kLength = 1, kBytes = 2;   // tags

Event to(const Phase& phase, std::int32_t peer, std::int32_t tag, std::int64_t count,
         ElementType dtype = ElementType::float64) {
  return on(phase.comm(), message(Op::send, phase.group_rank(peer), tag, count, dtype));
}

Event from(const Phase& phase, std::int32_t peer, std::int32_t tag, std::int64_t count,
           ElementType dtype = ElementType::float64) {
  return on(phase.comm(), message(Op::recv, phase.group_rank(peer), tag, count, dtype));
}

Event from_any(const Phase& phase, Op op, std::int32_t source, std::int32_t tag, std::int64_t count = kUnknownCount,
               ElementType dtype = ElementType::unknown) {
  return on(phase.comm(), matched(phase.group_rank(source), message(op, kAny, tag, count, dtype)));
}

Culprits exchange(Phase& phase, bool culprit_sends_first) {
  const std::int32_t one = phase.culprit(), other = phase.neighbour(1);
  const std::string_view send = "swap.cpp:12", receive = "swap.cpp:13";
  phase.add(other, send, to(phase, one, 0, kLarge)).add(other, receive, from(phase, one, 0, kLarge));
  if (culprit_sends_first) phase.add(one, send, to(phase, other, 0, kLarge));
  phase.add(one, receive, from(phase, other, 0, kLarge));
  if (!culprit_sends_first) phase.add(one, send, to(phase, other, 0, kLarge));
  return {std::min(one, other), std::max(one, other)};
}

Culprits lock_over_barrier(Phase& phase, std::string_view kind) {
  const std::int32_t holder = phase.culprit(), other = phase.neighbour(1);
  const auto on_window = [&](Op op) { return on(phase.comm(), window_call(op, "table")); };
  const auto lock = [&] {
    Event event = on_window(Op::win_lock);
    event.extras.set_target(phase.group_rank(holder));
    event.extras.set_lock(std::string(kind));
    return event;
  };
  const auto at_holder = [&](Event event) {
    event.extras.set_target(phase.group_rank(holder));
    return event;
  };
  const Event barrier = on(phase.comm(), call(Op::barrier));
  Event put = at_holder(on_window(Op::put));
  put.count = 1;
  put.dtype = ElementType::int32;
  put.extras.set_disp(0);
  phase.add_to_all("table.cpp:10", on_window(Op::win_create));
  phase.add(holder, "table.cpp:22", lock());
  phase.add_to_all("table.cpp:25", barrier);
  phase.add(other, "table.cpp:31", lock()).add(other, "table.cpp:32", put);
  phase.add_to_all("table.cpp:36", barrier);
  phase.add(holder, "table.cpp:39", at_holder(on_window(Op::win_unlock)));
  phase.add(other, "table.cpp:41", at_holder(on_window(Op::win_unlock)));
  phase.add_to_all("table.cpp:50", on_window(Op::win_free));
  return {holder};
}

}  // namespace

Culprits send_send(Phase& phase) {
  return exchange(phase, true);
}

Culprits send_send_ordered(Phase& phase) {
  exchange(phase, false);
  return {};
}

// The forward phase is right; where forward and backward sends of two microbatches meet, both stages send.
Culprits deferred_receives(Phase& phase) {
  const std::int32_t one = phase.culprit(), other = phase.neighbour(1);
  const std::string_view send = "stage.cpp:70", receive = "stage.cpp:74";
  const auto sends = [&](std::int32_t rank, std::int32_t peer, std::int32_t tag) {
    phase.add(rank, send, to(phase, peer, tag, kActivations));
  };
  const auto receives = [&](std::int32_t rank, std::int32_t peer, std::int32_t tag) {
    phase.add(rank, receive, from(phase, peer, tag, kActivations));
  };
  sends(one, other, 10), sends(one, other, 11), receives(one, other, 20);
  sends(one, other, 12), receives(one, other, 21), receives(one, other, 22);
  receives(other, one, 10), receives(other, one, 11), sends(other, one, 20);
  sends(other, one, 21), receives(other, one, 12), sends(other, one, 22);
  return {std::min(one, other), std::max(one, other)};
}

Culprits probe_race(Phase& phase) {
  const std::int32_t small = phase.neighbour(1), large = phase.neighbour(2), taker = phase.culprit();
  const std::string_view probe = "inbox.cpp:14", receive = "inbox.cpp:17", send = "outbox.cpp:9";
  phase.add(small, send, to(phase, taker, kProbed, 8, ElementType::char8));
  phase.add(large, send, to(phase, taker, kProbed, 800, ElementType::char8));
  phase.add(taker, probe, from_any(phase, Op::probe, small, kProbed));
  phase.add(taker, receive, from_any(phase, Op::recv, large, kProbed, 800, ElementType::char8));
  phase.add(taker, probe, from_any(phase, Op::probe, small, kProbed));
  phase.add(taker, receive, from_any(phase, Op::recv, small, kProbed, 800, ElementType::char8));
  return {taker};
}

Culprits message_mixing(Phase& phase) {
  const std::int32_t one = phase.neighbour(1), other = phase.neighbour(2), taker = phase.culprit();
  for (const std::int32_t sender : {one, other}) {
    phase.add(sender, "outbox.cpp:20", to(phase, taker, kLength, 1, ElementType::int32));
    phase.add(sender, "outbox.cpp:21", to(phase, taker, kBytes, sender == one ? 100 : 200, ElementType::char8));
    phase.add(taker, "inbox.cpp:30", from_any(phase, Op::recv, sender, kLength, 1, ElementType::int32));
    phase.add(taker, "inbox.cpp:33", from_any(phase, Op::recv, sender, kBytes, 256, ElementType::char8));
  }
  return {taker};
}

Culprits lock_and_barrier(Phase& phase) {
  return lock_over_barrier(phase, "exclusive");
}

Culprits lock_and_barrier_shared(Phase& phase) {
  lock_over_barrier(phase, "shared");
  return {};
}

}  // namespace petri::jobs::plants
