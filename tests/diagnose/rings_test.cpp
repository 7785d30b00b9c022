// Rings as long as a job is large: what is said of them costs as much as they have ranks, and not its square.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "harness/diagnose/diagnose.hpp"

namespace petri {
namespace {

Event message(Op op, std::int32_t peer, std::int32_t tag) {
  Event event;
  event.op = op;
  event.peer = peer;
  event.tag = tag;
  event.count = 4;
  event.dtype = ElementType::int32;
  return event;
}

// Each rank receives from the one before it, and then sends. A message has the number of its sender for a tag, so that
// no two ranks make the same calls.
Scenario ring(std::int32_t world) {
  Scenario scenario(world);
  for (std::int32_t rank = 0; rank < world; ++rank) {
    const std::int32_t before = (rank + world - 1) % world;
    auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    events = {message(Op::recv, before, before), message(Op::send, (rank + 1) % world, rank)};
    events[1].seq = 1;
  }
  return scenario;
}

double seconds_to_diagnose(std::int32_t world) {
  const Scenario scenario = ring(world);
  const std::clock_t start = std::clock();
  const Diagnosis diagnosis = diagnose(scenario);
  const std::clock_t end = std::clock();
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
  EXPECT_FALSE(diagnosis.findings.empty());
  if (!diagnosis.findings.empty()) {
    EXPECT_EQ(diagnosis.findings.front().culprits.size(), static_cast<std::size_t>(world));
  }
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

TEST(Rings, EightTimesTheRanksWithTagsOfTheirOwnCostAboutEightTimesTheTime) {
  double small = seconds_to_diagnose(2'000);
  for (int again = 0; again < 4; ++again) small = std::min(small, seconds_to_diagnose(2'000));
  EXPECT_LT(seconds_to_diagnose(16'000), 30 * small);  // 64 where each rank is held against each other
}

TEST(Rings, SameFailureAtAnyLength) {
  EXPECT_EQ(diagnose(ring(3)).signature, diagnose(ring(3'000)).signature);
}

}  // namespace
}  // namespace petri
