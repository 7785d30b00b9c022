// What the recorder says of calls that are new in MPI 4.0 (operations_mpi4.cpp holds the program).
#include <gmock/gmock.h>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

TEST(RecordMpi4, NonblockingSendrecvAndDupWithInfo) {
  const Scenario scenario = record(2, "mpi4_calls");
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::finalized);
  EXPECT_THAT(
      events_of(scenario, 0),
      testing::ElementsAre(
          R"({"op":"isendrecv","count":1,"dtype":"float64","tag":3,"sendpeer":1,"recvpeer":"any","matched":1,"request":0})",
          R"({"op":"isendrecv_replace","count":1,"dtype":"int32","peer":1,"tag":4,"request":1})",
          R"({"op":"waitall","requests":[0,1]})", R"({"op":"comm_idup_with_info","new":"world/0","request":2})",
          R"({"op":"wait","request":2})", R"({"op":"barrier","comm":"world/0"})",
          R"({"op":"comm_free","comm":"world/0"})"));
}

TEST(RecordMpi4, PartitionsAreNamedByTheirNumbers) {
  const Scenario& scenario = record(2, "partitioned_messages");
  EXPECT_THAT(
      events_of(scenario, 0),
      testing::ElementsAre(
          R"({"op":"psend_init","count":2,"dtype":"int32","peer":1,"tag":7,"request":0,"partitions":4})",
          R"({"op":"start","request":0})", R"({"op":"pready","request":0,"index":0})",
          R"({"op":"pready_range","request":0,"indices":[1,2]})", R"({"op":"pready_list","request":0,"indices":[3]})",
          R"({"op":"wait","request":0})", R"({"op":"request_free","request":0})"));
  EXPECT_THAT(events_of(scenario, 1),
              testing::IsSupersetOf(
                  {R"({"op":"precv_init","count":2,"dtype":"int32","peer":0,"tag":7,"request":0,"partitions":4})",
                   R"({"op":"parrived","request":0,"flag":true,"index":2})"}));
}

TEST(RecordMpi4, CommunicatorsFromGroupsAreNamedByTheirText) {
  EXPECT_THAT(
      events_of(record(2, "from_groups"), 1),
      testing::ElementsAre(
          R"({"op":"comm_create_from_group","new":"world/gpetri.test","ranks":[0,1],"value":"petri.test"})",
          R"({"op":"barrier","comm":"world/gpetri.test"})",
          R"({"op":"intercomm_create_from_groups","new":"world/gpetri.inter:0-1","ranks":[1],"value":"petri.inter"})",
          R"({"op":"barrier","comm":"world/gpetri.inter:0-1"})"));
}

TEST(RecordMpi4, ACommunicatorOfASessionStandsBesideTheWorld) {
  const Scenario& scenario = record(2, "session_beside_world");
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::finalized);
  EXPECT_THAT(
      events_of(scenario, 0),
      testing::ElementsAre(
          R"({"op":"comm_create_from_group","new":"world/gpetri.session","ranks":[0,1],"value":"petri.session"})",
          R"({"op":"barrier","comm":"world/gpetri.session"})", R"({"op":"comm_free","comm":"world/gpetri.session"})"));
  const std::int32_t made = scenario.find_comm("world/gpetri.session");
  ASSERT_NE(made, kNoComm);
  EXPECT_THAT(scenario.comms.at(static_cast<std::size_t>(made)).ranks, testing::ElementsAre(0, 1));
}

}  // namespace
}  // namespace petri::test
