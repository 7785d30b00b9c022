// Flight Recorder dumps of a whole job: what they say of each other.
#include "harness/import/flight_recorder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/error.hpp"
#include "tests/import/flight_dump_writer.hpp"
#include "tests/import/memory_trace.hpp"
#include "tests/import/written_flight_job.hpp"

namespace petri {
namespace {

using test::call;
using test::FlightCall;
using test::FlightRecord;
using Job = test::WrittenFlightJob;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

std::vector<EventState> states(const RankTrace& rank) {
  std::vector<EventState> all;
  for (const Event& event : rank.events) all.push_back(event.state);
  return all;
}

TEST(FlightRecorder, WholeRecordsNeedNoPlace) {
  Job job(2);
  for (const std::size_t rank : {0, 1})
    job.rank(rank, {call("all_reduce", 1, "completed"), call("all_reduce", 2, "started")});
  for (const bool json : {false, true}) {
    const Scenario read = job.read(json);
    EXPECT_EQ(read.header.backend, "nccl");
    ASSERT_EQ(read.ranks.size(), 2U);
    for (const RankTrace& rank : read.ranks) {
      EXPECT_THAT(states(rank), ElementsAre(EventState::completed, EventState::started));
      EXPECT_EQ(rank.events[0].op, Op::allreduce);
      EXPECT_EQ(rank.events[0].count, 4);
      EXPECT_EQ(rank.events[0].dtype, ElementType::float32);
      EXPECT_EQ(rank.end.kind, EndKind::running);
      EXPECT_EQ(rank.end.dropped, 0U);
    }
  }
}

TEST(FlightRecorder, RingsThatBeginAtOtherPlacesAreAlignedByTheirGroupsNumbers) {
  Job job(3);
  job.rank(0, {call("all_reduce", 7, "completed"), call("all_reduce", 8, "started")}, 6);
  job.rank(1, {call("all_reduce", 8, "started")}, 7);
  const Scenario read = job.read();
  EXPECT_THAT(read.ranks[0].end.joined, ElementsAre(Pair(1, 6)));
  EXPECT_THAT(read.ranks[1].end.joined, ElementsAre(Pair(1, 7)));
  // Nothing is there of rank 2, but others completed its 7th call.
  EXPECT_EQ(read.ranks[2].end.kind, EndKind::missing);
  EXPECT_THAT(read.ranks[2].end.joined, ElementsAre(Pair(1, 7)));
  EXPECT_THAT(job.notes.warnings, Contains(HasSubstr("no dump of rank 2")));
}

// The first collective of a group has collective_seq_id 1, and is at position 0.
TEST(FlightRecorder, CallsStandWhereTheirNumbersSayAlsoBehindAGap) {
  Job job(2);
  for (const std::size_t rank : {0, 1})
    job.rank(rank, {call("all_reduce", 1, "completed"), call("all_reduce", 2, "completed"),
                    call("all_reduce", 5, "started")});
  const Scenario read = job.read();
  for (const RankTrace& rank : read.ranks) {
    EXPECT_THAT(rank.end.joined, ElementsAre(Pair(1, 0)));
    EXPECT_EQ(rank.events[1].extras.coll_seq(), kUnset);
    EXPECT_EQ(rank.events[2].extras.coll_seq(), 4);
  }
}

TEST(FlightRecorder, WhatOthersCompletedIsOverAndItsRecordStopsEarly) {
  Job job(2);
  job.rank(0, {call("all_reduce", 5, "scheduled"), call("all_reduce", 6, "scheduled")}, 4);
  job.rank(1, {call("all_reduce", 5, "completed"), call("all_reduce", 6, "scheduled")}, 4);
  const Scenario read = job.read();
  EXPECT_THAT(states(read.ranks[0]), ElementsAre(EventState::completed, EventState::scheduled));
  EXPECT_EQ(read.ranks[0].end.kind, EndKind::cut);
  EXPECT_EQ(read.ranks[1].end.kind, EndKind::running);
}

TEST(FlightRecorder, WhatHadBegunInAStaleRecordNeedNotBeWhereItsRankIs) {
  Job job(3, {{"1", "KIND", {0, 1}}});
  job.rank(2, {call("all_reduce", 1, "completed"), call("all_reduce", 2, "started")});
  job.rank(0, {call("all_gather", 1, "started", "1"), call("all_reduce", 1, "scheduled")});
  const Scenario read = job.read();
  EXPECT_EQ(read.ranks[0].end.kind, EndKind::cut);
  EXPECT_THAT(states(read.ranks[0]), ElementsAre(EventState::scheduled, EventState::completed));
}

TEST(FlightRecorder, RootThatLeftEarlyProvesNothing) {
  Job job(2);
  job.rank(0, {call("broadcast", 1, "completed")});
  job.rank(1, {call("broadcast", 1, "scheduled")});
  EXPECT_EQ(job.read().ranks[1].end.kind, EndKind::running);
}

TEST(FlightRecorder, StatusTellsOfCallsThatNoEntryTellsOfAnyMore) {
  // Only what is not over is dumped: rank 0 has nothing pending, and rank 1 waits for it.
  Job job(2);
  job.status(0, {{0, 41, -1, 41}});
  job.rank(1, {call("all_reduce", 42, "scheduled")}, 41).status(1, {{0, 42, -1, 41}});
  const Scenario read = job.read();
  EXPECT_THAT(read.ranks[0].events, IsEmpty());
  EXPECT_THAT(read.ranks[0].end.joined, ElementsAre(Pair(1, 41)));
  EXPECT_EQ(read.ranks[0].end.kind, EndKind::running);
}

// As PyTorch 2.15 records Gloo: no state but scheduled, no groups but one without a name, messages counted and not
// kept.
TEST(FlightRecorder, CallsOfGlooAreOverWhenTheRecorderLetsGoOfThem) {
  std::vector<TraceFile> files;
  for (const int rank : {0, 1, 2}) {
    FlightRecord record;
    record.groups = {{"", "", {0, 1}}};
    for (int number = 1; number <= (rank == 2 ? 1 : 2); ++number) {
      FlightCall one = call("all_reduce", number, "scheduled");
      one.name = "gloo:all_reduce";
      one.record_id = number - 1;
      one.retired = number == 1;
      record.calls.push_back(one);
    }
    record.status = {{0, rank == 2 ? 1 : 5, -1, rank == 2 ? 1 : 3}};
    files.push_back(test::memory_trace("rank_" + std::to_string(rank), test::flight_pickle(record)));
  }
  ImportNotes notes;
  const Scenario read = read_flight_dumps(files, notes);
  EXPECT_THAT(states(read.ranks[0]), ElementsAre(EventState::completed, EventState::scheduled));
  EXPECT_THAT(states(read.ranks[2]), ElementsAre(EventState::completed));
  EXPECT_EQ(read.comm_of(read.ranks[0].events[0]).ranks, (std::vector<std::int32_t>{0, 1, 2}));
  for (const RankTrace& rank : read.ranks) EXPECT_EQ(rank.end.kind, EndKind::running);
  EXPECT_THAT(notes.warnings, Contains(HasSubstr("may wait for one")));
}

TEST(FlightRecorder, RingThatLostUnfinishedCallsLeavesThePlaceUnknown) {
  Job job(2);
  job.rank(0, {call("all_reduce", 9, "scheduled")}, 8).status(0, {{0, 9, -1, 6}});
  job.rank(1, {call("all_reduce", 9, "scheduled")}, 8).status(1, {{0, 9, -1, 8}});
  const Scenario read = job.read();
  EXPECT_THAT(read.ranks[0].end.joined, IsEmpty());
  EXPECT_GT(read.ranks[0].end.dropped, 0U);
  EXPECT_THAT(job.notes.warnings, Contains(HasSubstr("the ring of rank 0 lost calls that were not over")));
}

TEST(FlightRecorder, FirstCallOfAGroupThatHangsIsNoneThatTheRingLost) {
  Job job(2);
  for (const std::size_t rank : {0, 1})
    job.rank(rank, {call("all_reduce", 1, "started")}).status(rank, {{0, 1, 1, -1}});
  const Scenario read = job.read();
  EXPECT_EQ(read.ranks[0].end.dropped, 0U);
  EXPECT_THAT(job.notes.warnings, Not(Contains(HasSubstr("lost calls"))));
}

TEST(FlightRecorder, MessagesOfOneLaunchAreBegunAndWaitedForTogether) {
  Job job(2, {{"3", "KIND", {0, 1}}});
  job.rank(0, {call("send 0->1", 1, "scheduled", "3"), call("recv 0<-1", 1, "scheduled", "3"),
               call("coalesced p2p", 1, "started", "3")});
  job.rank(1, {call("send 1->0", 1, "scheduled", "3"), call("send 1->0", 2, "started", "3")});
  const Scenario read = job.read();
  const auto& events = read.ranks[0].events;
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].op, Op::isend);
  EXPECT_EQ(events[1].op, Op::irecv);
  EXPECT_EQ(events[1].peer, 1);
  EXPECT_EQ(events[2].op, Op::waitall);
  EXPECT_EQ(events[2].state, EventState::started);
  EXPECT_EQ(events[2].extras.requests().size(), 2U);
  // Without a closing entry they are calls of their own.
  EXPECT_EQ(read.ranks[1].events[0].op, Op::send);
}

TEST(FlightRecorder, MessagesPairBehindTheLastCollectiveThatBothCompleted) {
  // Rank 0 has sent, and waits in the next collective; rank 1's launch is not over, as it also waits for rank 2.
  // Without what rank 0 has completed, both would seem to wait for each other.
  Job job(3, {{"3", "KIND", {0, 1, 2}}});
  job.rank(0,
           {call("send 0->1", 4, "completed", "3"), call("all_reduce", 7, "completed"),
            call("send 0->1", 5, "completed", "3"), call("all_reduce", 8, "started")},
           20);
  job.rank(1,
           {call("all_reduce", 7, "completed"), call("recv 1<-0", 9, "scheduled", "3"),
            call("recv 1<-2", 9, "scheduled", "3"), call("coalesced p2p", 9, "started", "3")},
           31);
  job.rank(2, {call("all_reduce", 7, "completed")}, 12);
  const Scenario read = job.read();
  ASSERT_EQ(read.ranks[0].events.size(), 3U);  // without the first message: it is over on both sides
  EXPECT_EQ(read.ranks[0].events[1].op, Op::send);
  EXPECT_EQ(read.ranks[1].events.size(), 4U);
}

TEST(FlightRecorder, MembersOfLaunchesThatAreOverAreNotPendingInADumpOfOutstandingCalls) {
  Job job(2);
  std::vector<FlightCall> calls{call("send 0->1", 1, "scheduled"), call("recv 0<-1", 1, "scheduled"),
                                call("all_reduce", 7, "started"), call("send 0->1", 2, "scheduled"),
                                call("coalesced p2p", 2, "scheduled")};
  job.rank(0, calls);
  // What closed the first launch is over, and not there.
  for (std::size_t i = 2; i < calls.size(); ++i) ++job.record(0).calls[i].record_id;
  job.rank(1, {call("send 1->0", 1, "scheduled")}).status(1, {{0, 6, -1, 6}});
  const Scenario read = job.read();
  ASSERT_EQ(read.ranks[0].events.size(), 3U);
  EXPECT_EQ(read.ranks[0].events[0].op, Op::allreduce);
  EXPECT_EQ(read.ranks[0].events[1].op, Op::isend);
  EXPECT_THAT(read.ranks[1].events, IsEmpty());
}

TEST(FlightRecorder, StatusOfAGroupWhoseMessagesAreLeftOutCountsThemAllTheSame) {
  Job job(2);
  for (const std::size_t rank : {0, 1}) {
    job.rank(rank, {call(rank == 0 ? "send 0->1" : "recv 1<-0", 3, "scheduled"), call("all_reduce", 9, "started")});
    job.record(rank).calls[1].record_id = 2;  // what closed the launch is over
    job.status(rank, {{0, 9, -1, 3}});        // the last one that is over is the message
  }
  const Scenario read = job.read();
  EXPECT_THAT(job.notes.warnings, IsEmpty());  // no ring lost a call that was not over
  EXPECT_THAT(read.ranks[0].end.joined, ElementsAre(Pair(1, 8)));
}

TEST(FlightRecorder, NumberThatNoMessageHasIsThatOfACollectiveInAGroupWithMessages) {
  // Rank 1 has completed `number`, perhaps with the next call open; rank 0 shows call 22 open.
  const auto stale = [](std::int64_t messages, std::int64_t number, bool with_next) {
    Job job(2, {{"1", "KIND", {0, 1}}});
    FlightCall open = call("all_reduce", 22, "scheduled"), left = call("recv 1<-0", messages, "scheduled");
    FlightCall next = with_next ? call("all_reduce", 23, "scheduled") : call("all_reduce", 3, "started", "1");
    open.p2p_seq = next.p2p_seq = messages;
    job.rank(0, {open}, 90).status(0, {{0, 22, -1, 12}});
    job.rank(1, {left, next}, 80).status(1, {{0, with_next ? 23 : number, -1, number}});
    job.record(1).calls[1].record_id = 99;
    return job.read().ranks[0].end.kind == EndKind::cut;
  };
  EXPECT_TRUE(stale(12, 22, false));
  EXPECT_FALSE(stale(24, 22, false));
  EXPECT_TRUE(stale(12, 22, true));
  EXPECT_FALSE(stale(12, 12, true));  // the last one that is over is a message
}

// As PyTorch 2.4 records them: a launch takes a number of the collectives and none of the messages, and the entry that
// closes it is marked as none of messages.
TEST(FlightRecorder, LaunchesOfMessagesThatAreNumberedAsCollectivesAreNone) {
  const auto message = [](const std::string& name, std::int64_t number) {
    FlightCall one = call(name, 0, "scheduled");
    one.collective_seq = number;
    return one;
  };
  const auto closing = [](std::int64_t number) {
    FlightCall one = call("coalesced", number, "completed");
    one.p2p_seq = 0;
    return one;
  };
  Job job(3);
  job.rank(
      0, {message("send 0->1", 1), closing(1), message("send 0->1", 2), closing(2), call("all_reduce", 3, "started")});
  job.rank(
      1, {message("recv 1<-0", 1), closing(1), message("recv 1<-0", 2), closing(2), call("all_reduce", 3, "started")});
  job.rank(2, {call("all_reduce", 1, "started")});
  const Scenario read = job.read();
  for (const std::size_t rank : {0, 1}) {
    const auto& events = read.ranks[rank].events;
    ASSERT_EQ(events.size(), 5U);
    EXPECT_EQ(events[1].op, Op::waitall);
    EXPECT_EQ(events[3].op, Op::waitall);
    EXPECT_EQ(events[4].op, Op::allreduce);
    EXPECT_EQ(events[4].extras.coll_seq(), kUnset);  // the first one of all three
  }
  EXPECT_EQ(read.ranks[2].events[0].extras.coll_seq(), kUnset);
  EXPECT_THAT(job.notes.warnings, IsEmpty());
  // Where the beginning is lost, nobody knows how many launches there were.
  job.rank(2, {call("all_reduce", 7, "started")}, 6);
  job.read();
  EXPECT_THAT(job.notes.warnings, Contains(HasSubstr("numbers launches of messages as collectives")));
}

TEST(FlightRecorder, CollectivesOfOneLaunchAreOneCall) {
  Job job(1);
  job.rank(0, {call("all_reduce", 1, "scheduled"), call("all_reduce", 1, "scheduled"), call("coalesced", 1, "started"),
               call("coalesced", 2, "scheduled")});
  const Scenario read = job.read();
  ASSERT_EQ(read.ranks[0].events.size(), 2U);
  EXPECT_EQ(read.ranks[0].events[0].op, Op::allreduce);
  EXPECT_EQ(read.ranks[0].events[0].count, 8);
  EXPECT_EQ(read.ranks[0].events[0].state, EventState::started);
  EXPECT_THAT(job.notes.facts, Contains(HasSubstr("1 coalesced launch without recorded members")));
}

TEST(FlightRecorder, GroupsOfOneNameAreToldApartByTheirMembers) {
  Job job(4, {{"7", "KIND", {0, 1}}, {"7", "KIND", {2, 3}}});
  for (const std::size_t rank : {0, 1, 2, 3}) job.rank(rank, {call("all_reduce", 1, "started", "7")});
  const Scenario read = job.read();
  EXPECT_EQ(read.comm_of(read.ranks[0].events[0]).ranks, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(read.comm_of(read.ranks[3].events[0]).ranks, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(read.comm_of(read.ranks[3].events[0]).label, "KIND");
}

// Other dumps tell the members.
TEST(FlightRecorder, GroupThatNamesARankTwiceCostsItsListOnly) {
  std::vector<TraceFile> files;
  for (const int rank : {0, 1, 2}) {
    FlightRecord record;
    record.groups = {{"0", "default_pg", {0, 1, 2}}, {"4", "KIND", {0, 1, 2}}};
    if (rank == 1) record.groups[1].ranks = {0, 1, 1};
    record.calls = {call("all_reduce", 1, "started", "4")};
    files.push_back(test::memory_trace("rank_" + std::to_string(rank), test::flight_pickle(record)));
  }
  ImportNotes notes;
  const Scenario read = read_flight_dumps(files, notes);
  for (const RankTrace& rank : read.ranks)
    EXPECT_EQ(read.comm_of(rank.events.at(0)).ranks, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_THAT(notes.warnings, Contains(HasSubstr("rank_1: group 4 names rank 1 twice: its list of ranks is left out")));
}

TEST(FlightRecorder, DumpOfARankThatItsGroupsDoNotHaveIsLeftOut) {
  Job job(3);
  for (const std::size_t rank : {0, 1}) job.rank(rank, {call("all_reduce", 1, "started")});
  FlightRecord stray;
  stray.groups = {{"0", "default_pg", {0, 1}}};
  stray.calls = {call("all_reduce", 1, "started")};
  job.add(test::memory_trace("rank_2", test::flight_pickle(stray)));
  const Scenario read = job.read();
  EXPECT_EQ(read.ranks[2].end.kind, EndKind::missing);
  EXPECT_THAT(job.notes.warnings, Contains(HasSubstr("its groups have no such member (left out)")));
}

TEST(FlightRecorder, CallOnAGroupOfOthersIsLeftOut) {
  std::vector<TraceFile> files;
  for (const int rank : {0, 1, 2}) {
    FlightRecord record;
    record.groups = {{"0", "default_pg", {0, 1, 2}}};
    if (rank == 2) record.groups.push_back({"3", "KIND", {2}});  // so that it is a rank of its groups
    record.groups.push_back({"4", "KIND", {0, 1}});
    record.calls = {call("all_reduce", 1, "started", "4"), call("all_reduce", 1, "scheduled")};
    files.push_back(test::memory_trace("rank_" + std::to_string(rank), test::flight_pickle(record)));
  }
  ImportNotes notes;
  const Scenario read = read_flight_dumps(files, notes);
  EXPECT_EQ(read.ranks[1].events.size(), 2U);
  EXPECT_EQ(read.ranks[2].events.size(), 1U);
  EXPECT_THAT(notes.warnings, Contains(HasSubstr("1 call on groups of which the rank or its partner is no member is "
                                                 "left out: rank 2 on group 4")));
}

TEST(FlightRecorder, MessageToNobodyInTheGroupIsLeftOutWithTheWaitForIt) {
  Job job(2);
  job.rank(0,
           {call("send 0->9", 1, "scheduled"), call("coalesced p2p", 1, "started"), call("send 0->1", 2, "scheduled"),
            call("recv 0<-9", 2, "scheduled"), call("coalesced p2p", 2, "started")});
  const Scenario read = job.read();
  ASSERT_EQ(read.ranks[0].events.size(), 2U);
  EXPECT_EQ(read.ranks[0].events[1].extras.requests().size(), 1U);
}

TEST(FlightRecorder, LongListsOfRanksAreCutShortInMessages) {
  Job job(800);
  for (std::size_t rank = 0; rank < 800; rank += 2) job.rank(rank, {call("all_reduce", 1, "started")});
  job.read();
  ASSERT_THAT(job.notes.warnings, ElementsAre(AllOf(HasSubstr("no dump of ranks 1,3,5,"), EndsWith(" others"))));
  EXPECT_LT(job.notes.warnings.front().size(), 150U);
}

TEST(FlightRecorder, VersionThatIsNotStatedIsToldSo) {
  FlightRecord record;
  record.version.clear();
  record.groups = {{"0", "default_pg", {0}}};
  ImportNotes notes;
  read_flight_dumps({test::memory_trace("rank_0", test::flight_pickle(record))}, notes);
  EXPECT_THAT(notes.warnings, ElementsAre("dumps that do not state a version of the format are read like 2.10"));
}

TEST(FlightRecorder, UnevenPartsAreNotCompared) {
  Job job(2);
  FlightCall uneven = call("all_gather", 1, "started");
  uneven.out = {{{4}, {5}}, {"Float", "Float"}};
  job.rank(0, {uneven, call("all_to_all", 2, "scheduled")});
  const Scenario read = job.read();
  EXPECT_EQ(read.ranks[0].events[0].count, kUnknownCount);
  EXPECT_EQ(read.ranks[0].events[1].count, kUnknownCount);
  FlightCall by_name = call("all_gather_v", 1, "started");
  by_name.out = {{{5}}, {"Float"}};
  job.rank(0, {by_name});
  EXPECT_EQ(job.read().ranks[0].events[0].count, kUnknownCount);
}

TEST(FlightRecorder, StateThatIsNotKnownIsTold) {
  Job job(2);
  job.rank(0, {call("all_reduce", 1, "completed"), call("all_reduce", 2, "meditating")});
  EXPECT_THAT(states(job.read().ranks[0]), ElementsAre(EventState::completed, EventState::scheduled));
  EXPECT_THAT(job.notes.warnings, Contains(HasSubstr("1 call in a state that is not known is taken for enqueued")));
}

// Its members wait for each other there all the same.
TEST(FlightRecorder, CollectiveThatIsNotKnownIsOneOfItsGroup) {
  Job job(2);
  job.rank(0, {call("all_reduce", 1, "completed"), call("new_window", 2, "started")});
  job.rank(1, {call("all_reduce", 1, "completed"), call("send_telepathically", 1, "started")});
  const Scenario read = job.read();
  ASSERT_EQ(read.ranks[0].events.size(), 2U);
  EXPECT_EQ(read.ranks[0].events[1].op, Op::barrier);
  EXPECT_EQ(read.ranks[0].events[1].state, EventState::started);
  EXPECT_EQ(read.ranks[1].events.size(), 1U);
  EXPECT_THAT(job.notes.warnings, Not(Contains(HasSubstr("a state that is not known"))));
  EXPECT_THAT(job.notes.warnings,
              testing::IsSupersetOf({HasSubstr("taken for barriers of their groups: nccl:new_window"),
                                     HasSubstr("left out, as the operation is not known: nccl:send_telepathically")}));
}

TEST(FlightRecorder, DumpThatBreaksOffSaysNothingOfWhatFollows) {
  Job job(2);
  job.rank(0, {call("all_reduce", 1, "completed"), call("all_reduce", 2, "started")});
  FlightRecord half;
  half.calls = {call("all_reduce", 1, "completed"), call("all_reduce", 2, "started")};
  const std::string bytes = test::flight_pickle(half);
  job.add(test::memory_trace("rank_1", bytes.substr(0, bytes.size() - 60)));
  const Scenario read = job.read();
  EXPECT_EQ(read.ranks[1].end.kind, EndKind::cut);
  EXPECT_THAT(job.notes.warnings, Contains(HasSubstr("rank_1")));
}

TEST(FlightRecorder, DumpThatIsBrokenIsLeftOutWithItsReason) {
  Job job(2);
  job.rank(0, {call("all_reduce", 1, "started")});
  FlightRecord hostile;
  std::string bytes = test::flight_pickle(hostile);
  bytes.insert(bytes.size() - 1, "cos\nsystem\n");
  job.add(test::memory_trace("rank_1", bytes));
  const Scenario read = job.read();
  EXPECT_EQ(read.ranks[1].end.kind, EndKind::missing);
  EXPECT_THAT(job.notes.warnings, Contains(HasSubstr("rank_1")));
}

TEST(FlightRecorder, OnlyBrokenDumpsAreAnError) {
  FlightRecord hostile;
  std::string bytes = test::flight_pickle(hostile);
  bytes.insert(bytes.size() - 1, "cos\nsystem\n");
  ImportNotes notes;
  EXPECT_THROW(read_flight_dumps({test::memory_trace("rank_0", bytes)}, notes), InputError);
}

}  // namespace
}  // namespace petri
