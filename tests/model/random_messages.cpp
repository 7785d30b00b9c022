// Random point-to-point actions: MPI 4.1, chapters 3 and 4.
#include "tests/model/random_builder.hpp"

namespace petri::test {
namespace {

struct Ends {
  std::int32_t from, to;  // group ranks
};

Ends two_members(Builder& builder, std::int32_t comm) {
  const auto size = static_cast<std::int32_t>(builder.members(comm).size());
  const std::int32_t from = builder.below(size);
  return {from, (from + 1 + builder.below(size - 1)) % size};
}

Event half(Op op, std::int32_t comm, std::int32_t peer, std::int32_t tag, std::int64_t count) {
  Event event = Builder::call(op, comm);
  event.peer = peer;
  event.tag = tag;
  event.count = count;
  event.dtype = ElementType::int32;
  return event;
}

Op random_send(Builder& builder) {
  static constexpr Op kOps[] = {Op::send, Op::send, Op::isend, Op::isend, Op::ssend, Op::issend, Op::bsend, Op::ibsend};
  return builder.one_of(kOps);
}

}  // namespace

void add_message(Builder& builder, std::int32_t comm, bool wildcards) {
  const auto [from, to] = two_members(builder, comm);
  const auto ranks = builder.members(comm);
  const bool threads = builder.result().family == Family::threads;
  // A tag of its own keeps a wildcard from taking anything else.
  const bool own_tag = !builder.one_in(threads ? 4 : wildcards ? 2 : 3);
  const std::int32_t tag = own_tag ? 10 + builder.new_tag() : builder.below(2);
  const std::int64_t count = 1 + builder.below(2);
  Event send = half(random_send(builder), comm, to, tag, count);
  Event recv = half(builder.one_in(2) ? Op::recv : Op::irecv, comm, from, tag, count + builder.below(2));
  if (wildcards) recv.peer = kAny;
  if ((wildcards || threads) && !own_tag) builder.not_legal();
  if (builder.one_in(threads ? 12 : wildcards ? 3 : 8)) {
    recv.tag = kAny;
    if (wildcards || threads) builder.not_legal();
  }
  builder.begin(ranks[static_cast<std::size_t>(from)], send);
  builder.begin(ranks[static_cast<std::size_t>(to)], recv);
}

// Everybody sends to one side and receives from the other.
void add_exchange(Builder& builder) {
  const std::int32_t comm = builder.any_comm(), tag = builder.below(2);
  const auto ranks = builder.members(comm);
  const auto size = static_cast<std::int32_t>(ranks.size());
  const Op op = builder.one_in(3) ? Op::sendrecv_replace : Op::sendrecv;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    Event event = half(op, comm, kUnset, tag, 1);
    event.extras.set_sendpeer((rank + 1) % size);
    event.extras.set_recvpeer((rank + size - 1) % size);
    builder.begin(ranks[static_cast<std::size_t>(rank)], event);
  }
}

void add_probed_message(Builder& builder) {
  const std::int32_t comm = builder.any_comm();
  const auto [from, to] = two_members(builder, comm);
  const auto ranks = builder.members(comm);
  const bool own_tag = !builder.one_in(3), any = builder.one_in(3);
  if (any && !own_tag) builder.not_legal();
  const std::int32_t tag = own_tag ? 10 + builder.new_tag() : builder.below(2);
  const std::int32_t source = any ? kAny : from, receiver = ranks[static_cast<std::size_t>(to)];
  builder.begin(ranks[static_cast<std::size_t>(from)], half(random_send(builder), comm, to, tag, 1));
  static constexpr Op kOps[] = {Op::probe, Op::iprobe, Op::mprobe, Op::improbe};
  Event probe = half(builder.one_of(kOps), comm, source, tag, kUnknownCount);
  if (form_of(probe.op) == OpForm::nonblocking) probe.flag = 1;
  if (builder.one_in(6)) {
    Event failed = half(Op::iprobe, comm, source, tag, kUnknownCount);
    failed.flag = 0;
    builder.emit(receiver, failed);
  }
  Event recv = half(builder.one_in(2) ? Op::recv : Op::irecv, comm, source, tag, 1);
  if (probe.op == Op::mprobe || probe.op == Op::improbe) {
    probe.extras.set_message(builder.new_tag());
    recv = half(builder.one_in(2) ? Op::mrecv : Op::imrecv, comm, kUnset, kUnset, 1);
    recv.extras.set_message(probe.extras.message());
  }
  builder.emit(receiver, probe);
  if (builder.one_in(4)) {
    // A synchronous send is only done when the message that a probe took is received, too.
    builder.not_legal();
    add_collective(builder, comm);
  }
  builder.begin(receiver, recv);
}

void add_persistent_message(Builder& builder) {
  const std::int32_t comm = builder.any_comm();
  const auto [from, to] = two_members(builder, comm);
  const std::int32_t sender = builder.members(comm)[static_cast<std::size_t>(from)];
  const std::int32_t receiver = builder.members(comm)[static_cast<std::size_t>(to)];
  static constexpr Op kSends[] = {Op::send_init, Op::ssend_init, Op::bsend_init};
  const std::int32_t tag = builder.below(2);
  const std::uint32_t send = builder.initialize(sender, half(builder.one_of(kSends), comm, to, tag, 1));
  const std::uint32_t recv = builder.initialize(receiver, half(Op::recv_init, comm, from, tag, 1));
  for (int times = 1 + builder.below(2); times > 0; --times) {
    builder.start(sender, send, times > 1 && builder.one_in(2));
    builder.start(receiver, recv, true);
    if (times > 1) builder.complete(sender);
  }
}

void add_cancel(Builder& builder) {
  const std::int32_t comm = builder.any_comm();
  const auto [from, to] = two_members(builder, comm);
  const std::int32_t sender = builder.members(comm)[static_cast<std::size_t>(from)];
  const std::int32_t receiver = builder.members(comm)[static_cast<std::size_t>(to)];
  Event change = Builder::call(Op::cancel);
  change.flag = 1;
  const std::int32_t tag = builder.below(2);
  switch (builder.below(4)) {
    case 0:  // nobody sends what is cancelled
      change.request = builder.begin(receiver, half(Op::irecv, comm, from, 10 + builder.new_tag(), 1));
      return builder.emit(receiver, change);
    case 1: {  // a send that nobody asks after
      Event send = half(Op::isend, comm, to, tag, 1);
      send.request = change.request = builder.new_request();
      change.op = Op::request_free;
      change.flag = -1;
      builder.emit(sender, send);
      builder.emit(sender, change);
      return builder.emit(receiver, half(Op::recv, comm, from, tag, 1));
    }
    case 2:  // too late: the message came first
      change.flag = 0;
      builder.begin(sender, half(random_send(builder), comm, to, tag, 1));
      change.request = builder.begin(receiver, half(Op::irecv, comm, from, tag, 1));
      return builder.emit(receiver, change);
    default:  // what was cancelled leaves its message to the next
      builder.begin(sender, half(random_send(builder), comm, to, tag, 1));
      change.request = builder.begin(receiver, half(Op::irecv, comm, from, tag, 1));
      builder.emit(receiver, change);
      return builder.emit(receiver, half(Op::recv, comm, from, tag, 1));
  }
}

void add_partitions(Builder& builder) {
  const auto [from, to] = two_members(builder, 0);
  Event send = half(Op::psend_init, 0, to, 0, 1), recv = half(Op::precv_init, 0, from, 0, 1);
  for (Event* one : {&send, &recv}) one->extras.set_partitions(2);
  const std::uint32_t out = builder.initialize(from, send), in = builder.initialize(to, recv);
  for (int times = 1 + builder.below(2); times > 0; --times) {
    builder.start(from, out);
    builder.start(to, in);
    const bool at_once = builder.one_in(3);
    for (std::uint32_t partition = 0; partition < 2; ++partition) {
      Event ready = Builder::call(at_once ? Op::pready_list : Op::pready);
      ready.request = out;
      if (!at_once) ready.extras.set_index(static_cast<std::int32_t>(partition));
      if (at_once) ready.extras.set_indices({0, 1});
      builder.emit(from, ready);
      if (at_once) break;
    }
    if (builder.one_in(3)) {
      Event arrived = Builder::call(Op::parrived);
      arrived.request = in;
      arrived.extras.set_index(builder.below(2));
      arrived.flag = builder.below(2) != 0 ? 1 : 0;
      builder.emit(to, arrived);
    }
    builder.complete(from);
    builder.complete(to);
  }
}

// Devices of one job: a communicator over all ranks, calls on their streams, and a host that waits for them.
void add_streams(Builder& builder) {
  const std::int32_t comm = builder.declare("gpus", builder.members(0));
  builder.scenario().comms[static_cast<std::size_t>(comm)].backend = "nccl";
  const auto on = [](Event event, int stream) {
    event.extras.set_device(0);
    event.extras.set_stream(stream == 0 ? "compute" : "copy");
    return event;
  };
  std::vector<int> last(builder.members(0).size(), -1);
  for (int calls = 1 + builder.below(2); calls > 0; --calls) {
    const int stream = builder.below(2);
    const bool ordered = builder.one_in(2), exchange = builder.one_in(3);
    for (std::int32_t rank = 0; rank < builder.world(); ++rank) {
      int& before = last[static_cast<std::size_t>(rank)];
      if (before >= 0 && before != stream) {
        // Without this edge the two kernels may start in either order.
        Event record = on(Builder::call(Op::event_record), before), wait = on(Builder::call(Op::stream_wait), stream);
        for (Event* one : {&record, &wait}) one->extras.set_event("done");
        if (ordered) builder.emit(rank, record), builder.emit(rank, wait);
        if (!ordered) builder.not_legal();
      }
      before = stream;
      if (!exchange) {
        Event sum = on(Builder::call(Op::allreduce, comm), stream);
        sum.count = 1;
        sum.dtype = ElementType::float32;
        sum.reduce = ReduceOp::sum;
        builder.emit(rank, sum);
        continue;
      }
      builder.emit(rank, Builder::call(Op::group_start));
      const std::int32_t next = (rank + 1) % builder.world(), previous = (rank + builder.world() - 1) % builder.world();
      builder.emit(rank, on(half(Op::send, comm, next, kUnset, 1), stream));
      builder.emit(rank, on(half(Op::recv, comm, previous, kUnset, 1), stream));
      builder.emit(rank, Builder::call(Op::group_end));
    }
  }
  for (std::int32_t rank = 0; rank < builder.world(); ++rank) {
    Event sync = Builder::call(builder.one_in(2) ? Op::device_sync : Op::stream_sync);
    sync.extras.set_device(0);
    if (sync.op == Op::stream_sync)
      sync.extras.set_stream(last[static_cast<std::size_t>(rank)] == 0 ? "compute" : "copy");
    builder.emit(rank, sync);
  }
}

}  // namespace petri::test
