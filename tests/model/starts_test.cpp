// Persistent collectives, partitioned messages, topologies, intercommunicators, files.
#include <gmock/gmock.h>

#include "harness/model/run.hpp"
#include "tests/model/stuck.hpp"
#include "tests/support/script.hpp"

namespace petri::model {
namespace {

using test::script;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(PersistentCollectives, MeetByTheOrderOfTheirInits) {
  const std::string inits = "allreduce_init(request=1); barrier_init(request=2); ";
  EXPECT_THAT(stuck(script({inits + "start(request=1); start(request=2); waitall(requests=[1,2])",
                            inits + "start(request=2); start(request=1); waitall(requests=[1,2])"})),
              IsEmpty());
  EXPECT_THAT(stuck(script({inits + "start(request=1); wait(request=1); start(request=2); wait(request=2)",
                            inits + "start(request=2); wait(request=2); start(request=1); wait(request=1)"})),
              ElementsAre(0, 1));
  EXPECT_THAT(stuck(script({inits, "barrier_init(request=2); allreduce_init(request=1)"})), ElementsAre(0, 1));
}

TEST(PersistentCollectives, EachStartNeedsAStartOfAllOthers) {
  const std::string twice =
      "allreduce_init(request=1); start(request=1); wait(request=1); start(request=1); wait(request=1)";
  EXPECT_THAT(stuck(script({twice, twice})), IsEmpty());
  EXPECT_THAT(stuck(script({twice, "allreduce_init(request=1); start(request=1); wait(request=1); barrier"})),
              ElementsAre(0, 1));
}

TEST(Partitioned, TheSenderMarksAllPartitions) {
  const std::string receiver = "precv_init(peer=0 partitions=2 request=1); start(request=1); wait(request=1)";
  EXPECT_THAT(stuck(script({"psend_init(peer=1 partitions=2 request=1); start(request=1); pready(request=1 index=1); "
                            "pready(request=1 index=0); wait(request=1)",
                            receiver})),
              IsEmpty());
  const model::Run forgotten = run(
      script({"psend_init(peer=1 partitions=2 request=1); start(request=1); pready(request=1 index=1); wait(request=1)",
              receiver}),
      kStrict);
  ASSERT_THAT(forgotten.stuck, ElementsAre(0, 1));
  EXPECT_EQ(forgotten.waits[0].atoms.front().kind, Atom::partition);
  EXPECT_EQ(forgotten.waits[0].atoms.front().peer, 0);
}

TEST(Partitioned, NeverMeetsAnOrdinaryMessage) {
  EXPECT_THAT(
      stuck(script(
          {"psend_init(peer=1 partitions=1 request=1); start(request=1); pready(request=1 index=0); wait(request=1)",
           "recv(peer=0)"})),
      ElementsAre(0, 1));
}

TEST(Neighbours, OnlyWhereTheyMustWaitForOtherSources) {
  // A line 0 - 1 - 2: the ends do not need each other.
  const std::string line = R"({"comm":"t","ranks":[0,1,2]})";
  const auto scenario =
      script({"cart_create(new=t sources=[1] destinations=[1]); neighbor_allgather(comm=t); send(peer=2)",
              "cart_create(new=t sources=[0,2] destinations=[0,2]); neighbor_allgather(comm=t)",
              "cart_create(new=t sources=[1] destinations=[1]); recv(peer=0); neighbor_allgather(comm=t)"},
             line);
  EXPECT_THAT(stuck(scenario), ElementsAre(0, 1, 2));
  EXPECT_THAT(stuck(scenario, kBuffered), IsEmpty());
}

constexpr const char* kGroups = R"({"comm":"l","ranks":[0,1]}
{"comm":"r","ranks":[2,3]}
{"comm":"i","ranks":[0,1],"remote":[2,3]})";
const std::string kLeft = "intercomm_create(comm=l root=0 remote=world peer=2 tag=5 new=i); ";
const std::string kRight = "intercomm_create(comm=r root=0 remote=world peer=0 tag=5 new=i); ";

TEST(Intercommunicators, AreMadeWhenBothGroupsMeet) {
  EXPECT_THAT(stuck(script({kLeft, kLeft, kRight, kRight}, kGroups)), IsEmpty());
  EXPECT_THAT(stuck(script({kLeft, kLeft, kRight, "barrier"}, kGroups)), ElementsAre(0, 1, 2, 3));
  const std::string other_tag = "intercomm_create(comm=r root=0 remote=world peer=0 tag=6 new=i)";
  EXPECT_THAT(stuck(script({kLeft, kLeft, other_tag, other_tag}, kGroups)), ElementsAre(0, 1, 2, 3));
}

TEST(Intercommunicators, NamePeersInTheOtherGroup) {
  EXPECT_THAT(stuck(script({kLeft + "send(comm=i peer=1)", kLeft + "recv(comm=i peer=0)",
                            kRight + "send(comm=i peer=1)", kRight + "recv(comm=i peer=0)"},
                           kGroups)),
              IsEmpty());
}

TEST(Intercommunicators, OfARootedCallTheRestOfTheRootsGroupNeedsNobody) {
  const auto scenario = script({kLeft + "bcast(comm=i root=root)", kLeft + "bcast(comm=i root=null); send(peer=2)",
                                kRight + "recv(peer=1); bcast(comm=i root=0)", kRight + "bcast(comm=i root=0)"},
                               kGroups);
  EXPECT_THAT(stuck(scenario), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(stuck(scenario, kBuffered), IsEmpty());
}

TEST(Files, HavePositionsOfTheirOwn) {
  const std::string open = "file_open(file=f path=a); ";
  EXPECT_THAT(stuck(script({open + "file_write_all(file=f); barrier; file_close(file=f)",
                            open + "file_write_all(file=f); barrier; file_close(file=f)"})),
              IsEmpty());
  EXPECT_THAT(stuck(script({open + "file_write_all(file=f); barrier", open + "barrier; file_write_all(file=f)"})),
              ElementsAre(0, 1));
  EXPECT_THAT(
      stuck(script({open + "file_write_all(file=f); barrier", open + "barrier; file_write_all(file=f)"}), kBuffered),
      IsEmpty());
}

}  // namespace
}  // namespace petri::model
