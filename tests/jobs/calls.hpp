// Events as short expressions: `on(comm, reduction(Op::allreduce, 4096))`.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/trace/event.hpp"

namespace petri::jobs {

inline Event call(Op op) {
  Event event;
  event.op = op;
  return event;
}

inline Event on(std::int32_t comm, Event event) {
  event.comm = comm;
  return event;
}

// A collective without reduction, of `count` elements.
inline Event data(Op op, std::int64_t count, ElementType dtype = ElementType::float32) {
  Event event = call(op);
  event.count = count;
  event.dtype = dtype;
  return event;
}

inline Event reduction(Op op, std::int64_t count, ElementType dtype = ElementType::float32) {
  Event event = data(op, count, dtype);
  event.reduce = ReduceOp::sum;
  return event;
}

inline Event rooted(Op op, std::int32_t root, std::int64_t count, ElementType dtype = ElementType::float32) {
  Event event = data(op, count, dtype);
  event.root = root;
  return event;
}

// A send, receive or probe.
inline Event message(Op op, std::int32_t peer, std::int32_t tag, std::int64_t count = kUnknownCount,
                     ElementType dtype = ElementType::unknown) {
  Event event = data(op, count, dtype);
  event.peer = peer;
  event.tag = tag;
  return event;
}

// The source that a wildcard got.
inline Event matched(std::int32_t source, Event event) {
  event.extras.set_matched(source);
  return event;
}

inline Event making(std::int32_t new_comm, Event event) {
  event.extras.set_new_comm(new_comm);
  return event;
}

inline Event wait_all(std::vector<std::uint32_t> requests) {
  Event event = call(Op::waitall);
  event.extras.set_requests(std::move(requests));
  return event;
}

inline Event window_call(Op op, std::string_view win) {
  Event event = call(op);
  event.extras.set_win(std::string(win));
  return event;
}

}  // namespace petri::jobs
