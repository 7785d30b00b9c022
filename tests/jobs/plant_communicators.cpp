#include <algorithm>

#include "tests/jobs/plants.hpp"

namespace petri::jobs::plants {
namespace {

constexpr std::string_view kMake = "groups.cpp:20", kSum = "groups.cpp:33";

Event sum_on(std::int32_t comm) {
  return on(comm, reduction(Op::allreduce, 8));
}

Culprits sorted(Culprits ranks) {
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Event creation(Op op, const Phase& phase, std::int32_t made, const std::vector<std::int32_t>& ranks) {
  Event event = on(phase.comm(), making(made, call(op)));
  std::vector<std::int32_t> members;
  for (const std::int32_t rank : ranks) members.push_back(phase.group_rank(rank));
  event.extras.set_ranks(members);
  return event;
}

// A communicator that is made somewhere else, by calls of its own.
std::int32_t declare(Phase& phase, std::string_view name, std::vector<std::int32_t> ranks) {
  Communicator comm;
  comm.name = name;
  comm.ranks = std::move(ranks);
  return phase.scenario().add_comm(std::move(comm));
}

// Three ranks with a communicator for each pair.
Culprits pairs(Phase& phase, bool against_the_order) {
  const std::int32_t first = phase.neighbour(1), middle = phase.culprit(), last = phase.neighbour(2);
  const std::int32_t low = phase.group("pair-low", {first, middle}, kMake);
  const std::int32_t ends = phase.group("pair-ends", {first, last}, kMake);
  const std::int32_t high = phase.group("pair-high", {middle, last}, kMake);
  phase.add(first, kSum, sum_on(low)).add(first, kSum, sum_on(ends));
  phase.add(middle, kSum, sum_on(against_the_order ? high : low));
  phase.add(middle, kSum, sum_on(against_the_order ? low : high));
  phase.add(last, kSum, sum_on(ends)).add(last, kSum, sum_on(high));
  return sorted({first, middle, last});
}

std::vector<std::int32_t> half(const Phase& phase, bool lower) {
  const auto all = phase.members();
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  return lower ? std::vector<std::int32_t>(all.begin(), middle) : std::vector<std::int32_t>(middle, all.end());
}

Culprits private_groups(Phase& phase, Op op) {
  for (const bool lower : {true, false}) {
    const auto ranks = half(phase, lower);
    const std::int32_t made = declare(phase, lower ? "lower" : "upper", ranks);
    for (const std::int32_t rank : ranks)
      phase.add(rank, kMake, creation(op, phase, made, ranks)).add(rank, kSum, sum_on(made));
  }
  return {};
}

}  // namespace

Culprits two_communicators(Phase& phase) {
  const std::int32_t weights = phase.duplicate("weights", kMake), biases = phase.duplicate("biases", kMake);
  phase.add_to_others("layers.cpp:33", sum_on(weights)).add_to_others("layers.cpp:36", sum_on(biases));
  phase.as_culprit("layers.cpp:36", sum_on(biases)).as_culprit("layers.cpp:33", sum_on(weights));
  return {phase.culprit()};
}

// Nothing but the cycle is there to be seen: all three are in it.
Culprits pairwise_communicators(Phase& phase) {
  return pairs(phase, true);
}

Culprits pairwise_communicators_legal(Phase& phase) {
  pairs(phase, false);
  return {};
}

Culprits group_creation_lacks_member(Phase& phase) {
  const auto ranks = half(phase, true);
  const std::int32_t made = declare(phase, "lower", ranks);
  phase.add_to_others(kMake, creation(Op::comm_create, phase, made, ranks));
  return {phase.culprit()};
}

Culprits private_groups_in_one_call(Phase& phase) {
  return private_groups(phase, Op::comm_create);
}

Culprits private_groups_by_group(Phase& phase) {
  return private_groups(phase, Op::comm_create_group);
}

}  // namespace petri::jobs::plants
