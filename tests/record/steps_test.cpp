// Steps and microbatches, told by petri.h and by MPI_Pcontrol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using ::testing::ElementsAre;

TEST(RecordSteps, AreThoseOfTheEventsThatFollow) {
  const Scenario scenario = record_program(PETRI_STEPS, 2, "");
  EXPECT_THAT(events_of(scenario, 1),
              ElementsAre(R"({"op":"init","step":0})", R"({"op":"barrier","step":0})",
                          R"({"op":"barrier","step":0,"microbatch":0})",
                          R"({"op":"iprobe","peer":"any","tag":9,"flag":false,"polls":1,"step":0,"microbatch":0})",
                          R"({"op":"iprobe","peer":"any","tag":9,"flag":false,"polls":1,"step":0,"microbatch":1})",
                          R"({"op":"barrier","step":1})", R"({"op":"barrier","step":7})",
                          R"({"op":"barrier","step":7,"microbatch":3})"));
  EXPECT_EQ(scenario.ranks[0].events.front().step, 0);
  EXPECT_EQ(scenario.ranks[0].events.back().step, kUnset);
}

TEST(RecordSteps, StayKnownWhenTheRingHasComeRound) {
  const Scenario scenario = record_program(PETRI_STEPS, 2, "many", "PETRI_RECORD_RING=1");
  for (const RankTrace& rank : scenario.ranks) {
    EXPECT_GT(rank.end.dropped, 0u);
    ASSERT_EQ(rank.events.size(), 16384u);
    EXPECT_EQ(rank.events.front().step, 7);
    EXPECT_EQ(rank.events.back().microbatch, 3);
  }
}

TEST(RecordSteps, DoNothingWithoutTheRecorder) {
  EXPECT_EQ(std::system("'" PETRI_STEPS "' many"), 0);
}

}  // namespace
}  // namespace petri::test
