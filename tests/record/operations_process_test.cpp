// What the recorder says of processes of other worlds (operations_process.cpp holds the programs).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;

TEST(RecordOtherWorlds, SpawnedProcessesAreNoRanksOfTheRecording) {
  const Scenario& scenario = record(2, "spawns");
  ASSERT_EQ(scenario.world(), 2);
  EXPECT_THAT(events_of(scenario, 0),
              ElementsAre(R"({"op":"comm_spawn","new":"world/0","root":1})", R"({"op":"barrier","comm":"world/0"})",
                          R"({"op":"comm_disconnect","comm":"world/0"})"));
  ASSERT_NE(scenario.find_comm("world/0"), kNoComm);
  EXPECT_FALSE(scenario.comms.at(static_cast<std::size_t>(scenario.find_comm("world/0"))).known);
  EXPECT_THAT(scenario.header.environment, testing::Contains(testing::Pair("spawned_processes", "1")));
}

TEST(RecordOtherWorlds, SeveralProgramsMayBeSpawnedTogether) {
  EXPECT_THAT(events_of(record(2, "spawns_several"), 1),
              ElementsAre(R"({"op":"comm_spawn_multiple","new":"world/0","root":0})",
                          R"({"op":"barrier","comm":"world/0"})", R"({"op":"comm_disconnect","comm":"world/0"})"));
}

TEST(RecordOtherWorlds, TwoSidesOfAPortInOneWorldHaveOneName) {
  const Scenario& scenario = record(2, "port");
  EXPECT_THAT(
      events_of(scenario, 0),
      ElementsAre(testing::HasSubstr(R"("op":"send")"),
                  R"({"op":"comm_accept","comm":"self/0","new":"inter/g0:0-1","root":0})",
                  R"({"op":"barrier","comm":"inter/g0:0-1"})", R"({"op":"comm_disconnect","comm":"inter/g0:0-1"})"));
  EXPECT_THAT(events_of(scenario, 1),
              testing::Contains(R"({"op":"comm_connect","comm":"self/1","new":"inter/g0:0-1","root":0})"));
}

}  // namespace
}  // namespace petri::test
