// Calls that what the rank did before does not allow. Nobody else does anything wrong, and most of them return.
#include "tests/jobs/plants.hpp"

namespace petri::jobs::plants {
namespace {

constexpr std::uint32_t kRequest = 1'000'000;  // beyond all of the jobs
constexpr std::int32_t kTag = 41;

Event with_request(Event event, std::uint32_t request = kRequest) {
  event.request = request;
  return event;
}

Event to_neighbour(const Phase& phase, Op op) {
  return on(phase.comm(), message(op, phase.group_rank(phase.neighbour(1)), kTag, 16, ElementType::float64));
}

Event from_culprit(const Phase& phase) {
  return on(phase.comm(), message(Op::recv, phase.group_rank(phase.culprit()), kTag, 16, ElementType::float64));
}

Event on_memory(Event event, void (EventExtras::*set_buffer)(std::optional<Buffer>), std::uint64_t address) {
  (event.extras.*set_buffer)(Buffer{address, 128});
  return event;
}

Event on_window(const Phase& phase, Op op) {
  return on(phase.comm(), window_call(op, "counters"));
}

// At the culprit itself: nobody else has to be there.
Event at_itself(const Phase& phase, Op op) {
  Event event = on_window(phase, op);
  event.extras.set_target(phase.group_rank(phase.culprit()));
  if (op == Op::win_lock) event.extras.set_lock("shared");
  if (op != Op::put) return event;
  event.count = 1;
  event.dtype = ElementType::int64;
  event.extras.set_disp(0);
  return event;
}

// A duplicate that all free, and that the culprit uses once more.
Culprits free_communicator(Phase& phase, bool too_early) {
  const std::int32_t own = phase.duplicate("own", "library.cpp:8");
  phase.add_to_all("library.cpp:20", on(own, call(Op::comm_free)));
  if (too_early) phase.as_culprit("library.cpp:33", on(own, reduction(Op::allreduce, 8)));
  return {phase.culprit()};
}

// A receive into memory from which the culprit sends before it is complete, or beside it.
Culprits receive_and_send(Phase& phase, std::uint64_t sent_from) {
  const std::int32_t partner = phase.neighbour(1);
  Event receive = to_neighbour(phase, Op::irecv);
  phase.as_culprit("ghost.cpp:12", on_memory(with_request(receive), &EventExtras::set_recvbuffer, 4096));
  phase.as_culprit("ghost.cpp:15", on_memory(to_neighbour(phase, Op::send), &EventExtras::set_sendbuffer, sent_from));
  phase.as_culprit("ghost.cpp:18", with_request(call(Op::wait)));
  Event back = from_culprit(phase);
  back.op = Op::send;
  phase.add(partner, "ghost.cpp:30", from_culprit(phase)).add(partner, "ghost.cpp:31", back);
  return {phase.culprit()};
}

// At the culprit, in its own memory.
void put_under_lock(Phase& phase) {
  phase.as_culprit("report.cpp:11", at_itself(phase, Op::win_lock));
  phase.as_culprit("report.cpp:12", at_itself(phase, Op::put));
  phase.as_culprit("report.cpp:13", at_itself(phase, Op::win_unlock));
}

}  // namespace

Culprits communicator_used_after_free(Phase& phase) {
  return free_communicator(phase, true);
}

Culprits communicator_freed(Phase& phase) {
  free_communicator(phase, false);
  return {};
}

Culprits collective_request_freed(Phase& phase) {
  phase.add_to_all("sync.cpp:14", with_request(on(phase.comm(), call(Op::ibarrier))));
  phase.add_to_others("sync.cpp:20", with_request(call(Op::wait)));
  phase.as_culprit("sync.cpp:23", with_request(call(Op::request_free)));
  return {phase.culprit()};
}

// Of a message it is legal (MPI 4.1, section 3.7.3).
Culprits message_request_freed(Phase& phase) {
  phase.as_culprit("sync.cpp:14", with_request(to_neighbour(phase, Op::isend)));
  phase.as_culprit("sync.cpp:23", with_request(call(Op::request_free)));
  phase.add(phase.neighbour(1), "sync.cpp:31", from_culprit(phase));
  return {};
}

Culprits request_never_completed(Phase& phase) {
  phase.as_culprit("log.cpp:9", with_request(to_neighbour(phase, Op::isend)));
  phase.add(phase.neighbour(1), "log.cpp:17", from_culprit(phase));
  return {phase.culprit()};
}

Culprits started_while_active(Phase& phase) {
  phase.as_culprit("halo.cpp:5", with_request(to_neighbour(phase, Op::send_init)));
  for (const std::string_view site : {"halo.cpp:9", "halo.cpp:9"})
    phase.as_culprit(site, with_request(call(Op::start))).add(phase.neighbour(1), "halo.cpp:21", from_culprit(phase));
  phase.as_culprit("halo.cpp:14", with_request(call(Op::wait)));
  phase.as_culprit("halo.cpp:16", with_request(call(Op::request_free)));
  return {phase.culprit()};
}

Culprits memory_in_use(Phase& phase) {
  return receive_and_send(phase, 4096 + 64);
}

Culprits memory_beside(Phase& phase) {
  receive_and_send(phase, 4096 + 128);
  return {};
}

Culprits window_used_after_free(Phase& phase) {
  phase.add_to_all("counters.cpp:6", on_window(phase, Op::win_create));
  phase.add_to_all("counters.cpp:40", on_window(phase, Op::win_free));
  put_under_lock(phase);
  return {phase.culprit()};
}

Culprits access_outside_an_epoch(Phase& phase) {
  phase.add_to_all("counters.cpp:6", on_window(phase, Op::win_create));
  phase.as_culprit("report.cpp:12", at_itself(phase, Op::put));
  phase.add_to_all("counters.cpp:40", on_window(phase, Op::win_free));
  return {phase.culprit()};
}

Culprits access_in_an_epoch(Phase& phase) {
  phase.add_to_all("counters.cpp:6", on_window(phase, Op::win_create));
  put_under_lock(phase);
  phase.add_to_all("counters.cpp:40", on_window(phase, Op::win_free));
  return {};
}

Culprits reduction_without_meaning(Phase& phase) {
  Event event = on(phase.comm(), reduction(Op::allreduce, 8));
  event.reduce = ReduceOp::band;
  phase.add_to_all("flags.cpp:27", event);
  return phase.members();
}

}  // namespace petri::jobs::plants
