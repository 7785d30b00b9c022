// What a live replay says of a scenario, and what it may not be taken to say.
#include "harness/cli/confirm.hpp"

#include <gmock/gmock.h>

#include "tests/support/script.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;

// Rank 0 comes late to calls that do not meet: at the limit nothing is wrong yet, in either replay.
TEST(Confirm, AReplayThatItsLimitStoppedSaysNothingAgainstTheScenario) {
  const Scenario late = test::script({"sleep(value=60); barrier", "allreduce(count=1 dtype=int32 reduce=sum)"});
  ReplayOptions options;
  options.limit_s = 4;
  const Confirmation stopped = confirm_live(late, expected_outcome(late, options.diagnose), options);
  EXPECT_FALSE(stopped.shown);
  EXPECT_TRUE(stopped.undecided);
  EXPECT_THAT(text_of(stopped, late.world()), HasSubstr("stopped by the time limit"));
}

TEST(Confirm, WhatCameToItsEndDecides) {
  const Scenario legal = test::script({"barrier", "barrier"});
  const Confirmation other = confirm_live(legal, Outcome{Verdict::deadlock, "deadlock: another", false}, {});
  EXPECT_FALSE(other.shown);
  EXPECT_FALSE(other.undecided);
}

}  // namespace
}  // namespace petri::cli::testing
