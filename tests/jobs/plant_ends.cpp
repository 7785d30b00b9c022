#include "tests/jobs/plants.hpp"

namespace petri::jobs::plants {
namespace {

Event barrier(const Phase& phase) {
  return on(phase.comm(), call(Op::barrier));
}

// The culprit closes while the others go on.
void close_alone(Phase& phase) {
  phase.as_culprit("close.cpp:9", barrier(phase));
  phase.add_to_others("loop.cpp:31", on(phase.comm(), rooted(Op::bcast, 0, 16, ElementType::int32)));
}

}  // namespace

Culprits error_path(Phase& phase) {
  Event failed = call(Op::compute);
  failed.extras.set_error("no space left on device");
  phase.as_culprit("writer.cpp:77", failed);
  close_alone(phase);
  return {phase.culprit()};
}

Culprits error_path_unrecorded(Phase& phase) {
  close_alone(phase);
  return {phase.culprit()};
}

Culprits slow_rank(Phase& phase) {
  phase.rest(Phase::Rest::recorded);
  phase.observed(Verdict::deadlock);
  phase.as_culprit("loader.cpp:210", call(Op::sleep));
  phase.add_to_others("train.cpp:94", barrier(phase));
  return {phase.culprit()};
}

Culprits signal_exit(Phase& phase) {
  phase.as_culprit("handler.cpp:12", call(Op::exit));
  phase.ends(phase.culprit(), EndKind::exited);
  return {phase.culprit()};
}

Culprits signal_finalize(Phase& phase) {
  phase.as_culprit("handler.cpp:15", call(Op::finalize));
  phase.ends(phase.culprit(), EndKind::finalized);
  return {phase.culprit()};
}

// All are inside the same call, which would return by its schedule.
Culprits no_ordering_fault(Phase& phase) {
  phase.rest(Phase::Rest::recorded);
  phase.observed(Verdict::deadlock);
  phase.add_to_all("train.cpp:94", on(phase.comm(), reduction(Op::allreduce, 8)));
  return {};
}

// The text of a library is no evidence about the schedule.
Culprits transport_text(Phase& phase) {
  phase.observed(Verdict::mismatch);
  phase.add_to_all("train.cpp:94", on(phase.comm(), reduction(Op::allreduce, 8)));
  return {};
}

Culprits barrier_left_early(Phase& phase) {
  Event left = barrier(phase);
  left.state = EventState::completed;
  phase.add_to_all("train.cpp:94", left);
  phase.as_culprit("train.cpp:97", call(Op::compute));
  return {};
}

}  // namespace petri::jobs::plants
