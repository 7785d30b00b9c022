// What the model knows of single operations beyond their table: which side of a message they take, what they need.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "harness/trace/scenario.hpp"

namespace petri::model {

// The arguments of one half of a message, as the call gives them; sendrecv has both halves. Of a partitioned call the
// count is that of all its partitions.
struct Half {
  std::int32_t peer = kUnset;
  std::int32_t tag = 0;
  std::int64_t count = kUnknownCount;
  ElementType dtype = ElementType::unknown;
};
Half send_half(const Event& event);
Half recv_half(const Event& event);

// Bytes of a half, or -1 where count or type is unknown.
std::int64_t bytes_of(const Half& half);

// A synchronous send waits for its receive under every assumption, a buffered one under none (MPI 4.1, section 3.4).
bool is_synchronous_send(Op op);
bool is_buffered_send(Op op);

// The requests that a wait or test is about, and those that the record says it completed (all of them for waitall).
using Requests = boost::container::small_vector<std::uint32_t, 4>;  // most calls have one
Requests requests_of(const Event& event);
Requests completed_requests_of(const Event& event);

// Does one completed request suffice (waitany, waitsome and their tests, where the record does not say which)?
bool any_suffices(const Event& event);

// A call that asks and returns at once, whatever the answer: test, iprobe, parrived, win_test.
bool is_poll(const Event& event);

// Did this poll find what it asked for, as far as the record says?
bool poll_succeeded(const Event& event);

// Does this call take a message off the queue: a receive, or a matched probe that succeeded? A matched receive only
// fetches what its probe took (MPI 4.1, section 3.8.2).
bool takes_message(const Event& event);

// Whom a member of a gathering needs before it may leave, where calls synchronize no more than they must (MPI 4.1,
// sections 6.4 to 6.11, 8.6, 12.5.1, 14.4). `is_root` tells for a rooted one whether the member is its root.
enum class Needs : std::uint8_t { all, root, lower, sources, nobody };
Needs needs_of(const Event& event, bool is_root);

// Enqueued on a device stream: the host goes on, the stream performs it.
bool is_enqueued(const Event& event);

// Enqueued too, as a library of devices does it, but the record does not say on which stream: NCCL's and its kin's
// calls as their recorders see them. Each rank is taken to wait in the oldest of them that is not over. Those that were
// seen to end prove nothing of an order that others would have to keep.
bool is_enqueued_somewhere(const Scenario& scenario, const Event& event);

// Needs other ranks: on a stream it is a kernel that waits for theirs, and in a group its launch waits for the end.
bool communicates(const Event& event);

// Operations that the model lets pass without judging them; those that may block make a clean verdict impossible.
bool is_modelled(Op op);
bool never_blocks(Op op);

}  // namespace petri::model
