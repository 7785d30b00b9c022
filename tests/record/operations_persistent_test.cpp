// What the recorder says of persistent collectives (operations_persistent.cpp holds the programs).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> first(std::vector<std::string> events, std::size_t n) {
  if (events.size() > n) events.resize(n);
  return events;
}

TEST(RecordPersistentCollectives, SayAtTheirInitWhatTheyWillDo) {
  const auto events = events_of(record(3, "persistent_collectives"), 0);
  EXPECT_THAT(
      first(events, 17),
      ElementsAre(
          R"({"op":"barrier_init","request":0})",
          R"({"op":"bcast_init","count":1,"dtype":"int32","root":1,"request":1})",
          R"({"op":"reduce_init","count":1,"dtype":"int32","reduce":"sum","root":0,"request":2})",
          R"({"op":"allreduce_init","count":1,"dtype":"int32","reduce":"max","request":3})",
          R"({"op":"gather_init","count":1,"dtype":"int32","root":0,"request":4})",
          R"({"op":"gatherv_init","count":1,"dtype":"int32","root":0,"recvcounts":[1,1,1],"request":5})",
          R"({"op":"scatter_init","count":1,"dtype":"int32","root":0,"request":6})",
          R"({"op":"scatterv_init","count":1,"dtype":"int32","root":0,"sendcounts":[1,1,1],"request":7})",
          R"({"op":"allgather_init","count":1,"dtype":"int32","request":8})",
          R"({"op":"allgatherv_init","count":1,"dtype":"int32","recvcounts":[1,1,1],"request":9})",
          R"({"op":"alltoall_init","count":1,"dtype":"int32","request":10})",
          R"({"op":"alltoallv_init","dtype":"int32","sendcounts":[1,1,1],"recvcounts":[1,1,1],"request":11})",
          R"({"op":"alltoallw_init","dtype":"int32","sendcounts":[1,1,1],"recvcounts":[1,1,1],"request":12})",
          R"({"op":"reduce_scatter_init","count":1,"counts":[1,1,1],"dtype":"int32","reduce":"sum","request":13})",
          R"({"op":"reduce_scatter_block_init","count":1,"dtype":"int32","reduce":"sum","request":14})",
          R"({"op":"scan_init","count":1,"dtype":"int32","reduce":"sum","request":15})",
          R"({"op":"exscan_init","count":1,"dtype":"int32","reduce":"sum","request":16})"));
  ASSERT_EQ(events.size(), 17u + 17 + 1 + 2 + 17);
  EXPECT_EQ(events[17], R"({"op":"start","request":0})");
  EXPECT_EQ(events[34], R"({"op":"waitall","requests":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]})");
  EXPECT_EQ(events[35], R"({"op":"start","request":0})");
  EXPECT_EQ(events[36], R"({"op":"wait","request":0})");
  EXPECT_EQ(events[53], R"({"op":"request_free","request":16})");
}

TEST(RecordPersistentCollectives, AlsoAlongATopology) {
  EXPECT_THAT(
      first(events_of(record(3, "persistent_neighbors"), 0), 6),
      ElementsAre(
          R"({"op":"cart_create","new":"world/0","sources":[2,1],"destinations":[2,1],"dims":[3],"periods":[1]})",
          R"({"op":"neighbor_allgather_init","comm":"world/0","count":1,"dtype":"int32","request":0})",
          R"({"op":"neighbor_allgatherv_init","comm":"world/0","count":1,"dtype":"int32","recvcounts":[1,1],"request":1})",
          R"({"op":"neighbor_alltoall_init","comm":"world/0","count":1,"dtype":"int32","request":2})",
          R"({"op":"neighbor_alltoallv_init","comm":"world/0","dtype":"int32","sendcounts":[1,1],"recvcounts":[1,1],"request":3})",
          R"({"op":"neighbor_alltoallw_init","comm":"world/0","dtype":"int32","sendcounts":[1,1],"recvcounts":[1,1],"request":4})"));
}

}  // namespace
}  // namespace petri::test
