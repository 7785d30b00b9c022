// What the recorder says of intercommunicators and topologies (operations_topology.cpp holds the programs).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;

const Communicator& comm_named(const Scenario& scenario, const char* name) {
  return scenario.comms.at(static_cast<std::size_t>(scenario.find_comm(name)));
}

TEST(RecordIntercommunicators, NamePeersAndRootsInTheOtherGroup) {
  const Scenario scenario = record(3, "intercommunicators");
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::finalized);
  EXPECT_THAT(
      events_of(scenario, 0),
      ElementsAre(
          R"({"op":"comm_split","new":"world/0:0","color":0,"key":0})",
          R"({"op":"intercomm_create","comm":"world/0:0","remote":"world","new":"inter/g3:0-1","root":0,"peer":1,"tag":3})",
          R"({"op":"barrier","comm":"inter/g3:0-1"})",
          R"({"op":"bcast","comm":"inter/g3:0-1","count":2,"dtype":"int32","root":"root"})",
          R"({"op":"allgather","comm":"inter/g3:0-1","count":1,"dtype":"int32"})",
          R"({"op":"gather","comm":"inter/g3:0-1","count":1,"dtype":"int32","root":0})",
          R"({"op":"comm_dup","comm":"inter/g3:0-1","new":"inter/g3:0-1/0"})",
          R"({"op":"comm_split","comm":"inter/g3:0-1","new":"inter/g3:0-1/1:0","color":0,"key":0})",
          R"({"op":"barrier","comm":"inter/g3:0-1/1:0"})",
          R"({"op":"intercomm_merge","comm":"inter/g3:0-1/0","new":"inter/g3:0-1/0/0:0","key":0})",
          R"({"op":"bcast","comm":"inter/g3:0-1/0/0:0","count":1,"dtype":"int32","root":2})",
          R"({"op":"intercomm_create","comm":"world/0:0","remote":"world","new":"inter/g3:0-1#1","root":0,"peer":1,"tag":3})",
          R"({"op":"comm_free","comm":"inter/g3:0-1/0"})", R"({"op":"comm_disconnect","comm":"inter/g3:0-1#1"})"));
  EXPECT_THAT(events_of(scenario, 1),
              IsSupersetOf({R"({"op":"send","comm":"inter/g3:0-1","count":1,"dtype":"int32","peer":1,"tag":5})",
                            R"({"op":"bcast","comm":"inter/g3:0-1","count":2,"dtype":"int32","root":0})",
                            R"({"op":"gather","comm":"inter/g3:0-1","count":1,"dtype":"int32","root":"root"})",
                            R"({"op":"intercomm_merge","comm":"inter/g3:0-1/0","new":"inter/g3:0-1/0/0:0","key":1})"}));
  EXPECT_THAT(
      events_of(scenario, 2),
      IsSupersetOf({R"({"op":"intercomm_create","comm":"world/0:0","new":"inter/g3:0-1","root":0,"tag":3})",
                    R"({"op":"recv","comm":"inter/g3:0-1","count":1,"dtype":"int32","peer":"any","tag":5,"matched":0})",
                    R"({"op":"bcast","comm":"inter/g3:0-1","root":"null"})",
                    R"({"op":"comm_split","comm":"inter/g3:0-1","color":"null","key":0})"}));
}

TEST(RecordIntercommunicators, ListBothGroupsTheOneWithTheLowestRankInFront) {
  const Scenario scenario = record(3, "intercommunicators");
  const Communicator& inter = comm_named(scenario, "inter/g3:0-1");
  EXPECT_EQ(inter.ranks, (std::vector{0, 2}));
  EXPECT_EQ(inter.remote, std::vector{1});
  EXPECT_EQ(comm_named(scenario, "inter/g3:0-1/1:0").ranks, std::vector{0});
  EXPECT_EQ(comm_named(scenario, "inter/g3:0-1/1:0").remote, std::vector{1});
  EXPECT_EQ(comm_named(scenario, "inter/g3:0-1/0/0:0").ranks, (std::vector{0, 2, 1}));
  EXPECT_FALSE(comm_named(scenario, "inter/g3:0-1/0/0:0").is_inter());
}

TEST(RecordTopologies, AGridHasNullNeighboursAtItsEdgesAndHandsItsTopologyOn) {
  EXPECT_THAT(
      events_of(record(4, "grid"), 1),
      ElementsAre(
          R"({"op":"cart_create","new":"world/0","sources":["null",3,0,0],"destinations":["null",3,0,0],"dims":[2,2],"periods":[0,1]})",
          R"({"op":"cart_sub","comm":"world/0","new":"world/0/0:0","sources":[0,0],"destinations":[0,0],"dims":[2],"periods":[1]})",
          R"({"op":"comm_dup","comm":"world/0/0:0","new":"world/0/0:0/0","sources":[0,0],"destinations":[0,0],"dims":[2],"periods":[1]})",
          R"({"op":"neighbor_allgather","comm":"world/0","count":1,"dtype":"int32"})",
          R"({"op":"neighbor_alltoall","comm":"world/0","sendcount":1,"sendtype":"int32","recvcount":4,"recvtype":"byte"})",
          R"({"op":"neighbor_alltoall","comm":"world/0/0:0/0","count":1,"dtype":"int32"})"));
}

TEST(RecordTopologies, GraphsAndTheCollectivesAlongThemCountByNeighbour) {
  const Scenario scenario = record(3, "graphs");
  EXPECT_THAT(
      events_of(scenario, 0),
      ElementsAre(
          R"({"op":"dist_graph_create_adjacent","new":"world/0","sources":[2],"destinations":[1,2]})",
          R"({"op":"graph_create","new":"world/1","sources":[1],"destinations":[1]})",
          R"({"op":"dist_graph_create","new":"world/2","sources":[2],"destinations":[1]})",
          R"({"op":"neighbor_allgatherv","comm":"world/0","count":1,"dtype":"int32","recvcounts":[1]})",
          R"({"op":"neighbor_alltoallv","comm":"world/0","dtype":"int32","sendcounts":[1,1],"recvcounts":[1]})",
          R"({"op":"neighbor_alltoallw","comm":"world/0","dtype":"int32","sendcounts":[1,1],"recvcounts":[1]})",
          R"({"op":"ineighbor_allgather","comm":"world/0","count":1,"dtype":"int32","request":0})",
          R"({"op":"ineighbor_allgatherv","comm":"world/0","count":1,"dtype":"int32","recvcounts":[1],"request":1})",
          R"({"op":"ineighbor_alltoall","comm":"world/0","count":1,"dtype":"int32","request":2})",
          R"({"op":"ineighbor_alltoallv","comm":"world/0","dtype":"int32","sendcounts":[1,1],"recvcounts":[1],"request":3})",
          R"({"op":"ineighbor_alltoallw","comm":"world/0","dtype":"int32","sendcounts":[1,1],"recvcounts":[1],"request":4})",
          R"({"op":"waitall","requests":[0,1,2,3,4]})"));
  EXPECT_THAT(events_of(scenario, 2),
              Contains(R"({"op":"dist_graph_create_adjacent","new":"world/0","sources":[1,0],"destinations":[0]})"));
}

TEST(RecordTopologies, AHangAmongNeighboursLeavesAStartedEvent) {
  EXPECT_EQ(events_of(record(2, "neighbor_hang"), 0).back(),
            R"({"op":"neighbor_alltoall","comm":"world/0","count":1,"dtype":"int32","state":"started"})");
}

TEST(RecordTopologies, StrictModeDoesNotChangeTheEvents) {
  EXPECT_EQ(events_of(record(3, "intercommunicators"), 0),
            events_of(record(3, "intercommunicators", "PETRI_STRICT=1"), 0));
  EXPECT_EQ(events_of(record(3, "graphs"), 0), events_of(record(3, "graphs", "PETRI_STRICT=1"), 0));
}

}  // namespace
}  // namespace petri::test
