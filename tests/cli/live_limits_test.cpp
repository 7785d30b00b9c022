#include "harness/cli/live_limits.hpp"

#include <gmock/gmock.h>

namespace petri::cli {
namespace {

using ::testing::HasSubstr;

std::string reason_for(const std::string& x_live) {
  Scenario scenario(2);
  scenario.header.free_keys.emplace_back("x_live", x_live);
  return why_not_live(scenario);
}

TEST(LiveLimits, SmallMpiScenariosAreReplayed) {
  Scenario scenario(kMaxLiveWorld);
  EXPECT_EQ(why_not_live(scenario), "");
  scenario.header.backend = "mpi";
  EXPECT_EQ(why_not_live(scenario), "");
}

TEST(LiveLimits, AScenarioCanSayNoWithItsReason) {
  EXPECT_EQ(reason_for("\"no: only some orders fail\""), "only some orders fail");
  EXPECT_EQ(reason_for("\"no\""), "the scenario says so");
  EXPECT_EQ(reason_for("false"), "the scenario says so");
  EXPECT_EQ(reason_for("\"yes\""), "");
  EXPECT_EQ(reason_for("true"), "");
}

TEST(LiveLimits, WhatCannotRunHereIsNamed) {
  EXPECT_THAT(why_not_live(Scenario(kMaxLiveWorld + 1)), HasSubstr("17 ranks"));
  Scenario other(2);
  other.header.backend = "nccl";
  EXPECT_EQ(why_not_live(other), "");
  Event kernel;
  kernel.op = Op::allreduce;
  kernel.extras.set_stream("0");
  other.ranks[0].events.push_back(kernel);
  EXPECT_THAT(why_not_live(other), HasSubstr("NCCL"));
  Scenario numbers(2);
  numbers.header.expect = Outcome{Verdict::divergence, {}, false};
  EXPECT_EQ(why_not_live(numbers), kNumbersAreItsOwn);
}

TEST(LiveLimits, ARankWithoutARecordStaysAwayInAReplay) {
  Scenario missing(2);
  missing.ranks[1].end.kind = EndKind::missing;
  EXPECT_EQ(why_not_live(missing), "");
}

}  // namespace
}  // namespace petri::cli
