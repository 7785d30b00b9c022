#include <algorithm>

#include "tests/jobs/plants.hpp"

namespace petri::jobs::plants {
namespace {

Event barrier(const Phase& phase) {
  return on(phase.comm(), call(Op::barrier));
}

// What the meeting itself is (Job::wide): one more of it goes unnoticed.
Event like_the_meeting(const Phase& phase) {
  return on(phase.comm(), reduction(Op::allreduce, 1));
}

Event with_result(Event event, std::string_view digest, double value, std::string_view decision) {
  Summary out;
  out.digest = digest;
  out.sum = out.min = out.max = value;
  event.extras.set_out(out);
  event.extras.set_value(std::string(decision));
  return event;
}

Event decided(std::string_view value) {
  Event event = call(Op::checkpoint);
  event.extras.set_value(std::string(value));
  return event;
}

// Two calls that all make; the culprit makes them in the other order.
void swapped(Phase& phase, std::string_view site, const Event& one, std::string_view other_site, const Event& other) {
  phase.add_to_others(site, one).add_to_others(other_site, other);
  phase.as_culprit(other_site, other).as_culprit(site, one);
}

}  // namespace

Culprits guard_shift(Phase& phase) {
  phase.as_culprit("save.cpp:41", barrier(phase));
  phase.add_to_all("save.cpp:57", barrier(phase));
  return {phase.culprit()};
}

Culprits guard_shift_at_the_end(Phase& phase) {
  phase.rest(Phase::Rest::closed);
  return guard_shift(phase);
}

Culprits order_swap(Phase& phase) {
  swapped(phase, "train.cpp:90", on(phase.comm(), reduction(Op::allreduce, 4)), "train.cpp:94", barrier(phase));
  return {phase.culprit()};
}

Culprits silent_swap(Phase& phase) {
  swapped(phase, "metrics.cpp:88", like_the_meeting(phase), "metrics.cpp:93", like_the_meeting(phase));
  return {phase.culprit()};
}

// Nothing that is recorded is wrong.
Culprits silent_swap_without_sites(Phase& phase) {
  swapped(phase, "", like_the_meeting(phase), "", like_the_meeting(phase));
  return {};
}

Culprits sharded_module_skipped(Phase& phase) {
  const auto gather = [&](std::int64_t count) { return on(phase.comm(), data(Op::allgather, count)); };
  const auto scatter = [&](std::int64_t count) { return on(phase.comm(), reduction(Op::reduce_scatter_block, count)); };
  phase.add_to_others("vision.cpp:12", gather(4096));
  phase.add_to_all("text.cpp:30", gather(1024));
  phase.add_to_all("text.cpp:38", scatter(1024));
  phase.add_to_others("vision.cpp:29", scatter(4096));
  return {phase.culprit()};
}

Culprits every_rank_its_own_root(Phase& phase) {
  for (const std::int32_t rank : phase.members())
    phase.add(rank, "publish.cpp:17",
              on(phase.comm(), rooted(Op::bcast, phase.group_rank(rank), 4, ElementType::float64)));
  return phase.members();
}

Culprits own_root(Phase& phase) {
  const auto from = [&](std::int32_t root) {
    return on(phase.comm(), rooted(Op::bcast, phase.group_rank(root), 4, ElementType::float64));
  };
  phase.add_to_others("publish.cpp:17", from(phase.neighbour(1)));
  phase.as_culprit("publish.cpp:17", from(phase.culprit()));
  return {phase.culprit()};
}

Culprits history_flag(Phase& phase) {
  phase.rest(Phase::Rest::closed);
  phase.as_culprit("probe.cpp:5", like_the_meeting(phase));
  phase.add_to_all("train.cpp:61", like_the_meeting(phase)).add_to_all("train.cpp:66", like_the_meeting(phase));
  return {phase.culprit()};
}

Culprits clock_decision(Phase& phase) {
  phase.add_to_others("train.cpp:203", decided("not due"));
  phase.as_culprit("train.cpp:203", decided("due"));
  phase.as_culprit("train.cpp:205", on(phase.comm(), rooted(Op::bcast, 0, 1, ElementType::int64)));
  phase.add_to_all("train.cpp:211", on(phase.comm(), reduction(Op::allreduce, 25, ElementType::float64)));
  return {phase.culprit()};
}

Culprits bucket_order(Phase& phase) {
  swapped(phase, "ddp.cpp:120", on(phase.comm(), reduction(Op::allreduce, 25000)), "ddp.cpp:120",
          on(phase.comm(), reduction(Op::allreduce, 1000)));
  return {phase.culprit()};
}

Culprits number_becomes_control_flow(Phase& phase) {
  const Event residual = on(phase.comm(), reduction(Op::allreduce, 1, ElementType::float64));
  const std::string_view site = "solve.cpp:64";
  phase.as_culprit(
      site, with_result(residual, "xxh3-128:11111111111111111111111111111111", 0.09999999999999999, "converged"));
  phase.add_to_others(site, with_result(residual, "xxh3-128:22222222222222222222222222222222", 0.1, "not converged"));
  phase.add_to_others(site, with_result(residual, "xxh3-128:33333333333333333333333333333333", 0.05, "converged"));
  phase.add_to_all("solve.cpp:70", barrier(phase));
  return {phase.culprit()};
}

}  // namespace petri::jobs::plants
