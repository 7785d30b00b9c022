// What the recorder says of each group of operations (operations.cpp holds the programs).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "harness/trace/digest.hpp"
#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

TEST(RecordPointToPoint, BlockingCallsWithWhatWildcardsMatched) {
  const Scenario scenario = record(2, "blocking_messages");
  EXPECT_THAT(
      events_of(scenario, 0),
      ElementsAre(R"({"op":"send","count":4,"dtype":"int32","peer":1,"tag":5})",
                  R"({"op":"ssend","count":1,"dtype":"int32","peer":1,"tag":6})",
                  R"({"op":"bsend","count":2,"dtype":"int32","peer":1,"tag":7})",
                  R"({"op":"send","count":0,"dtype":"byte","peer":"null","tag":0})",
                  R"({"op":"sendrecv","count":1,"dtype":"float64","tag":3,"sendpeer":1,"recvpeer":"any","matched":1})",
                  R"({"op":"sendrecv_replace","count":1,"dtype":"float64","peer":1,"tag":4})"));
  EXPECT_THAT(
      events_of(scenario, 1),
      ElementsAre(R"({"op":"probe","peer":0,"tag":5})", R"({"op":"recv","count":4,"dtype":"int32","peer":0,"tag":5})",
                  R"({"op":"recv","count":1,"dtype":"int32","peer":"any","tag":6,"matched":0})",
                  R"({"op":"recv","count":4,"dtype":"int32","peer":"any","tag":"any","matched":0,"x_matched_tag":7})",
                  R"({"op":"sendrecv","count":1,"dtype":"float64","tag":3,"sendpeer":0,"recvpeer":"any","matched":0})",
                  R"({"op":"sendrecv_replace","count":1,"dtype":"float64","peer":0,"tag":4})"));
}

TEST(RecordPointToPoint, EveryRankEndsFinalizedWithInitAndFinalizeAround) {
  const Scenario scenario = record(2, "blocking_messages");
  ASSERT_EQ(scenario.world(), 2);
  for (const RankTrace& rank : scenario.ranks) {
    EXPECT_EQ(rank.end.kind, EndKind::finalized);
    EXPECT_EQ(rank.end.dropped, 0u);
    EXPECT_EQ(rank.events.front().op, Op::init);
    EXPECT_EQ(rank.events.back().op, Op::finalize);
    for (std::size_t i = 0; i < rank.events.size(); ++i) {
      EXPECT_EQ(rank.events[i].seq, i);
      EXPECT_EQ(rank.events[i].state, EventState::completed);
    }
  }
}

TEST(RecordPointToPoint, CallSitesAreSourceLines) {
  const Scenario scenario = record(2, "blocking_messages");
  EXPECT_THAT(scenario.site_of(scenario.ranks[0].events.at(1)), HasSubstr("operations.cpp:"));
  EXPECT_NE(scenario.ranks[0].events.at(1).site, scenario.ranks[0].events.at(2).site);
  // sendrecv is on one line for both ranks
  EXPECT_EQ(scenario.ranks[0].events.at(5).site, scenario.ranks[1].events.at(5).site);
}

TEST(RecordPointToPoint, CallsByTheirProfilingNamesAreRecordedOnce) {
  EXPECT_THAT(events_of(record(2, "profiling_names"), 0),
              ElementsAre(R"({"op":"send","count":1,"dtype":"int32","peer":1,"tag":5})", R"({"op":"barrier"})"));
}

TEST(RecordRequests, WildcardReceivesLearnTheirSourceFromAWaitThatIgnoresStatuses) {
  const Scenario scenario = record(2, "nonblocking_messages");
  EXPECT_THAT(events_of(scenario, 0),
              ElementsAre(R"({"op":"irecv","count":1,"dtype":"int32","peer":"any","tag":0,"matched":1,"request":0})",
                          R"({"op":"irecv","count":1,"dtype":"int32","peer":"any","tag":1,"matched":1,"request":1})",
                          R"({"op":"irecv","count":1,"dtype":"int32","peer":"any","tag":2,"matched":1,"request":2})",
                          R"({"op":"waitall","requests":[0,1,2]})"));
  EXPECT_THAT(events_of(scenario, 1),
              ElementsAre(R"({"op":"isend","count":1,"dtype":"int32","peer":0,"tag":0,"request":0})",
                          R"({"op":"isend","count":1,"dtype":"int32","peer":0,"tag":1,"request":1})",
                          R"({"op":"isend","count":1,"dtype":"int32","peer":0,"tag":2,"request":2})",
                          R"({"op":"wait","request":1})", R"({"op":"waitall","requests":[0,2]})"));
}

TEST(RecordRequests, MovedHandlesKeepTheirOrder) {
  const Scenario scenario = record(2, "many_requests");
  for (int rank = 0; rank < 2; ++rank) {
    std::string all;
    for (int i = 0; i < 40; ++i) all += (i > 0 ? "," : "") + std::to_string(i);
    EXPECT_EQ(events_of(scenario, rank).back(), "{\"op\":\"waitall\",\"requests\":[" + all + "]}");
  }
}

TEST(RecordRequests, AnySomeCancelAndFree) {
  const Scenario scenario = record(2, "some_and_any");
  EXPECT_THAT(events_of(scenario, 0),
              ElementsAre(R"({"op":"irecv","count":1,"dtype":"int32","peer":1,"tag":1,"request":0})",
                          R"({"op":"irecv","count":1,"dtype":"int32","peer":1,"tag":2,"request":1})",
                          R"({"op":"waitany","requests":[0,1],"index":1})",
                          R"({"op":"send","count":0,"dtype":"int32","peer":1,"tag":9})",
                          R"({"op":"waitsome","requests":[0],"indices":[0]})",
                          R"({"op":"irecv","count":1,"dtype":"int32","peer":1,"tag":3,"request":2})",
                          R"({"op":"cancel","request":2,"flag":true})", R"({"op":"wait","request":2})",
                          R"({"op":"irecv","count":1,"dtype":"int32","peer":"null","tag":3,"request":3})",
                          R"({"op":"request_free","request":3})"));
}

TEST(RecordRequests, CancelsSayWhatCameOfThem) {
  const auto events = events_of(record(2, "cancels"), 0);
  EXPECT_THAT(events, Contains(R"({"op":"cancel","request":0,"flag":true})"));
  EXPECT_THAT(events, Contains(R"({"op":"cancel","request":1,"flag":false})"));
}

TEST(RecordRequests, PersistentOnesKeepOneNumberAndEachStartSaysWhatItGot) {
  const Scenario scenario = record(2, "persistent_requests");
  EXPECT_THAT(events_of(scenario, 1),
              ElementsAre(R"({"op":"recv_init","count":1,"dtype":"int32","peer":"any","tag":0,"request":0})",
                          R"({"op":"recv_init","count":1,"dtype":"int32","peer":0,"tag":1,"request":1})",
                          R"({"op":"start","matched":0,"request":0})", R"({"op":"start","request":1})",
                          R"({"op":"waitall","requests":[0,1]})", R"({"op":"start","matched":0,"request":0})",
                          R"({"op":"waitany","requests":[0],"index":0})", R"({"op":"request_free","request":0})",
                          R"({"op":"request_free","request":1})"));
  EXPECT_THAT(events_of(scenario, 0),
              Contains(R"({"op":"ssend_init","count":1,"dtype":"int32","peer":1,"tag":1,"request":1})"));
}

TEST(RecordRequests, ALookAtTheStatusLeavesTheRequestToItsWait) {
  const auto events = events_of(record(2, "ready_and_buffered"), 0);
  const auto look = std::find(events.begin(), events.end(), R"({"op":"request_get_status","request":5,"flag":true})");
  ASSERT_NE(look, events.end());
  EXPECT_EQ(*std::next(look), R"({"op":"wait","request":5})");
  EXPECT_THAT(events, Contains(R"({"op":"rsend","count":1,"dtype":"int32","peer":1,"tag":0})"));
  EXPECT_THAT(events, Contains(R"({"op":"testall","requests":[0,1,2,3,4],"flag":true})"));
}

TEST(RecordPolls, FailedPollsOfTwoSetsInTurnAreTwoEvents) {
  const Scenario scenario = record(2, "polls");
  const auto events = events_of(scenario, 0);
  ASSERT_GE(events.size(), 5u);
  EXPECT_EQ(events[0], R"({"op":"irecv","count":1,"dtype":"int32","peer":"any","tag":1,"matched":1,"request":0})");
  EXPECT_EQ(events[1], R"({"op":"test","request":0,"flag":false,"polls":1000})");
  EXPECT_EQ(events[2], R"({"op":"iprobe","peer":"any","tag":8,"flag":false,"polls":1000})");
  EXPECT_EQ(events[3], R"({"op":"send","count":1,"dtype":"int32","peer":1,"tag":0})");
  EXPECT_EQ(events.back(), R"({"op":"test","request":0,"flag":true})");
  EXPECT_LE(events.size(), 6u);  // however often it polled before the message came
}

TEST(RecordPolls, MatchedProbesNumberTheirMessages) {
  EXPECT_THAT(events_of(record(2, "matched_probes"), 1),
              ElementsAre(R"({"op":"mprobe","peer":"any","tag":4,"matched":0,"message":0})",
                          R"({"op":"mrecv","count":1,"dtype":"int32","message":0})",
                          R"({"op":"mprobe","peer":0,"tag":"any","matched":0,"message":1,"x_matched_tag":4})",
                          R"({"op":"imrecv","count":1,"dtype":"int32","message":1,"request":0})",
                          R"({"op":"wait","request":0})"));
}

TEST(RecordCollectives, SignificantArgumentsOnly) {
  const Scenario scenario = record(3, "collectives");
  EXPECT_THAT(events_of(scenario, 0),
              ElementsAre(R"({"op":"barrier"})", R"({"op":"bcast","count":1,"dtype":"int32","root":1})",
                          R"({"op":"reduce","count":1,"dtype":"int32","reduce":"sum","root":0})",
                          R"({"op":"allreduce","count":1,"dtype":"int32","reduce":"max"})",
                          R"({"op":"gather","count":1,"dtype":"int32","root":0})",
                          R"({"op":"gatherv","count":1,"dtype":"int32","root":0,"recvcounts":[1,1,1]})",
                          R"({"op":"scatter","count":1,"dtype":"int32","root":0})",
                          R"({"op":"scatterv","count":1,"dtype":"int32","root":0,"sendcounts":[1,1,1]})",
                          R"({"op":"allgather","count":1,"dtype":"int32"})",
                          R"({"op":"allgatherv","count":1,"dtype":"int32","recvcounts":[1,1,1]})",
                          R"({"op":"alltoall","sendcount":4,"sendtype":"byte","recvcount":1,"recvtype":"int32"})",
                          R"({"op":"alltoallv","dtype":"int32","sendcounts":[1,1,1],"recvcounts":[1,1,1]})",
                          R"({"op":"alltoallw","dtype":"int32","sendcounts":[1,1,1],"recvcounts":[1,1,1]})",
                          R"({"op":"reduce_scatter","count":1,"counts":[1,1,1],"dtype":"int32","reduce":"sum"})",
                          R"({"op":"reduce_scatter_block","count":1,"dtype":"int32","reduce":"sum"})",
                          R"({"op":"scan","count":1,"dtype":"int32","reduce":"sum"})",
                          R"({"op":"exscan","count":1,"dtype":"int32","reduce":"sum"})"));
  const auto other = events_of(scenario, 2);
  EXPECT_THAT(other, Contains(R"({"op":"gatherv","count":1,"dtype":"int32","root":0})"));
  EXPECT_THAT(other, Contains(R"({"op":"scatterv","count":1,"dtype":"int32","root":0})"));
}

TEST(RecordCollectives, NonblockingFormsWithTheirRequests) {
  const auto events = events_of(record(3, "nonblocking_collectives"), 0);
  EXPECT_THAT(
      events,
      ElementsAre(R"({"op":"ibarrier","request":0})",
                  R"({"op":"ibcast","count":1,"dtype":"int32","root":1,"request":1})",
                  R"({"op":"ireduce","count":1,"dtype":"int32","reduce":"sum","root":0,"request":2})",
                  R"({"op":"iallreduce","count":1,"dtype":"int32","reduce":"max","request":3})",
                  R"({"op":"igather","count":1,"dtype":"int32","root":0,"request":4})",
                  R"({"op":"igatherv","count":1,"dtype":"int32","root":0,"recvcounts":[1,1,1],"request":5})",
                  R"({"op":"iscatter","count":1,"dtype":"int32","root":0,"request":6})",
                  R"({"op":"iscatterv","count":1,"dtype":"int32","root":0,"sendcounts":[1,1,1],"request":7})",
                  R"({"op":"iallgather","count":1,"dtype":"int32","request":8})",
                  R"({"op":"iallgatherv","count":1,"dtype":"int32","recvcounts":[1,1,1],"request":9})",
                  R"({"op":"ialltoall","count":1,"dtype":"int32","request":10})",
                  R"({"op":"ialltoallv","dtype":"int32","sendcounts":[1,1,1],"recvcounts":[1,1,1],"request":11})",
                  R"({"op":"ialltoallw","dtype":"int32","sendcounts":[1,1,1],"recvcounts":[1,1,1],"request":12})",
                  R"({"op":"ireduce_scatter","count":1,"counts":[1,1,1],"dtype":"int32","reduce":"sum","request":13})",
                  R"({"op":"ireduce_scatter_block","count":1,"dtype":"int32","reduce":"sum","request":14})",
                  R"({"op":"iscan","count":1,"dtype":"int32","reduce":"sum","request":15})",
                  R"({"op":"iexscan","count":1,"dtype":"int32","reduce":"sum","request":16})",
                  R"({"op":"waitall","requests":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]})"));
}

TEST(RecordCommunicators, HaveOneNameOnAllTheirMembers) {
  const Scenario scenario = record(4, "communicators");
  EXPECT_THAT(
      events_of(scenario, 3),
      ElementsAre(R"({"op":"comm_dup","new":"world/0"})",
                  R"({"op":"comm_split","comm":"world/0","new":"world/0/0:1","color":1,"key":3})",
                  R"({"op":"barrier","comm":"world/0/0:1"})",
                  R"({"op":"comm_idup","comm":"world/0/0:1","new":"world/0/0:1/0","request":0})",
                  R"({"op":"wait","request":0})", R"({"op":"barrier","comm":"world/0/0:1/0"})",
                  R"({"op":"comm_create_group","new":"world/g7:2","ranks":[2,3],"tag":7})",
                  R"({"op":"barrier","comm":"world/g7:2"})", R"({"op":"comm_create","new":"world/1:2","ranks":[2,3]})",
                  R"({"op":"barrier","comm":"world/1:2"})", R"({"op":"comm_free","comm":"world/1:2"})",
                  R"({"op":"comm_split","color":"null","key":0})",
                  R"({"op":"comm_dup","comm":"self/3","new":"self/3/0"})", R"({"op":"barrier","comm":"self/3/0"})"));
  EXPECT_EQ(scenario.comms.at(static_cast<std::size_t>(scenario.find_comm("world/0/0:1"))).ranks, (std::vector{1, 3}));
  EXPECT_EQ(scenario.comms.at(static_cast<std::size_t>(scenario.find_comm("world/0"))).ranks,
            (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(scenario.comms.at(static_cast<std::size_t>(scenario.find_comm("world/g7:2"))).parent, "world");
}

TEST(RecordThreads, SeveralThreadsAreToldApartAndOneAloneIsNot) {
  const auto events = events_of(record(2, "two_threads"), 1);
  EXPECT_THAT(events, Contains(AllOf(HasSubstr(R"("op":"bcast")"), HasSubstr(R"("thread":1)"))));
  EXPECT_THAT(events, Contains(AllOf(HasSubstr(R"("op":"barrier")"), HasSubstr(R"("thread":0)"))));
  EXPECT_THAT(events, Contains(AllOf(HasSubstr(R"("op":"exit")"), HasSubstr(R"("thread":1)"))));
  EXPECT_THAT(events_of(record(2, "one_thread_that_did_not_initialize"), 1), Contains(R"({"op":"barrier"})"));
}

TEST(RecordTypes, DerivedTypesAreFlattenedWhereTheyAreOfOneKind) {
  EXPECT_THAT(
      events_of(record(2, "derived_types"), 1),
      ElementsAre(R"({"op":"bcast","count":12,"dtype":"float64","root":0})", R"({"op":"bcast","count":2,"root":0})",
                  R"({"op":"bcast","count":7,"dtype":"float32","root":0})",
                  R"({"op":"allreduce","count":1,"dtype":"float64","reduce":"user"})"));
}

TEST(RecordErrors, AReturnedErrorIsNamed) {
  EXPECT_THAT(
      events_of(record(2, "errors"), 1),
      ElementsAre(
          R"({"op":"recv","count":1,"dtype":"int32","peer":0,"tag":0,"error":"MPI_ERR_TRUNCATE: message truncated"})"));
}

TEST(RecordErrors, AnErrorThatEndsTheProcessIsNamedInItsCall) {
  const Scenario& scenario = record(2, "fatal_error");
  EXPECT_THAT(
      events_of(scenario, 1),
      ElementsAre(
          R"({"op":"send","count":1,"dtype":"int32","tag":0,"state":"started","error":"MPI_ERR_RANK: invalid rank 2 of 2"})"));
  EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::aborted);
  EXPECT_THAT(events_of(record(2, "fatal_error_in_a_poll"), 1),
              ElementsAre(R"({"op":"iprobe","peer":0,"state":"started","error":"MPI_ERR_TAG: invalid tag -9"})"));
}

TEST(RecordErrors, AnErrorInACallThatIsNoEventIsAnAbortThere) {
  const Scenario& scenario = record(2, "fatal_error_elsewhere");
  EXPECT_THAT(
      events_of(scenario, 1),
      ElementsAre(
          R"({"op":"abort","state":"started","error":"MPI_ERR_COMM: invalid communicator, in MPI_Comm_size"})"));
  EXPECT_THAT(scenario.site_of(scenario.ranks[1].events.back()), HasSubstr("operations.cpp:"));
}

TEST(RecordDigests, AreThoseOfTheBuffersBytes) {
  const Scenario scenario = record(2, "digests", "PETRI_RECORD_DIGESTS=1");
  const double data[3] = {1.0, -2.0, 0.5};
  const double sum[3] = {2.0, -4.0, 1.0};
  const Event& allreduce = scenario.ranks[0].events.at(1);
  ASSERT_TRUE(allreduce.extras.in() && allreduce.extras.out());
  EXPECT_EQ(allreduce.extras.in()->digest, digest_of(std::as_bytes(std::span(data))));
  EXPECT_EQ(allreduce.extras.out()->digest, digest_of(std::as_bytes(std::span(sum))));
  EXPECT_EQ(allreduce.extras.in()->min, -2.0);
  EXPECT_EQ(allreduce.extras.out()->sum, -1.0);
  const Event& irecv = scenario.ranks[1].events.at(2);  // two elements came into room for three
  ASSERT_TRUE(irecv.extras.out());
  EXPECT_EQ(irecv.extras.out()->digest, digest_of(std::as_bytes(std::span(data).first(2))));
}

TEST(RecordDigests, AreNotTakenUnlessAskedFor) {
  const Scenario scenario = record(2, "digests");
  EXPECT_TRUE(scenario.ranks[0].events.at(1).extras.empty());
}

TEST(RecordEnds, ExitWithoutFinalize) {
  const Scenario scenario = record(2, "exits");
  EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::exited);
  EXPECT_EQ(scenario.ranks[1].end.status, 7);
  EXPECT_EQ(scenario.ranks[0].events.back().op, Op::recv);
  EXPECT_EQ(scenario.ranks[0].events.back().state, EventState::started);
}

TEST(RecordEnds, Abort) {
  const Scenario scenario = record(2, "aborts");
  EXPECT_EQ(scenario.ranks[1].end.kind, EndKind::aborted);
  EXPECT_EQ(scenario.ranks[1].end.status, 9);
  EXPECT_EQ(scenario.ranks[1].events.back().op, Op::abort);
}

TEST(RecordRing, KeepsTheLatestEventsAndCountsTheOthers) {
  const Scenario scenario = record(2, "many_events", "PETRI_RECORD_RING=1");
  for (const RankTrace& rank : scenario.ranks) {
    EXPECT_EQ(rank.events.size(), 16384u);  // one MiB of 64 bytes
    EXPECT_EQ(rank.end.dropped + rank.events.size(), 50003u);
    const Event& bcast = rank.events.at(rank.events.size() - 2);
    EXPECT_EQ(bcast.op, Op::bcast);
    EXPECT_EQ(bcast.extras.coll_seq(), 50000);
    EXPECT_EQ(bcast.seq, 50001u);
  }
}

TEST(RecordStrict, ASendThatBufferingWouldHideBlocks) {
  const Scenario scenario = record(2, "head_to_head", "PETRI_STRICT=1");
  EXPECT_THAT(events_of(scenario, 0), ElementsAre(HasSubstr(R"("op":"send")")));
  EXPECT_THAT(events_of(scenario, 0), Each(EndsWith(R"("state":"started"})")));
  EXPECT_EQ(record(2, "head_to_head").ranks[0].end.kind, EndKind::finalized);
}

TEST(RecordStrict, DoesNotChangeTheEvents) {
  const Scenario plain = record(3, "collectives");
  const Scenario strict = record(3, "collectives", "PETRI_STRICT=1");
  EXPECT_EQ(events_of(plain, 0), events_of(strict, 0));
  EXPECT_EQ(events_of(record(4, "communicators"), 2), events_of(record(4, "communicators", "PETRI_STRICT=1"), 2));
}

}  // namespace
}  // namespace petri::test
