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

}  // namespace
}  // namespace petri::test
