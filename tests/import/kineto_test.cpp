// Kineto traces: one event for a call however many kernels it has, groups with cut lists, and windows of a job.
#include "harness/import/kineto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/import/read_traces.hpp"
#include "tests/import/torch_trace_text.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TorchTestCall call(const std::string& name, int rank, std::int64_t seq = -1) {
  TorchTestCall made;
  made.name = name;
  made.rank = rank;
  made.seq = seq;
  return made;
}

TraceFile file(const KinetoText& text, const std::string& name = "host_77.1700000000000000000.pt.trace.json") {
  return memory_trace(name, text.text());
}

Traces read(const std::vector<KinetoText>& ranks) {
  std::vector<TraceFile> files;
  for (const KinetoText& rank : ranks) files.push_back(file(rank));
  EXPECT_TRUE(is_kineto_trace(files.front()));
  return {read_kineto_traces, files};
}

TEST(Kineto, AnOperationOfTheHostAndItsKernelsAreOneCall) {
  KinetoText text(1);
  const TorchTestCall made = call("allreduce", 1);
  text.kernel(made, 20, 5).event("cpu_op", "aten::mm", 5, "\"External id\": 4").call(made, 10, 5).kernel(made, 25, 5);
  const Traces traces = read({text});
  EXPECT_THAT(traces.calls(1), ElementsAre("allreduce 64 float32 on 0"));
  EXPECT_EQ(traces.events(1)[0].state, EventState::completed);
  EXPECT_DOUBLE_EQ(traces.trace(1).time_of(0), 2.00001);
  EXPECT_EQ(written(read_text(written(traces.scenario))), written(traces.scenario));
}

TEST(Kineto, TheOrderIsThatOfTimes) {
  KinetoText text(0);
  text.call(call("barrier", 0), 30, 3).call(call("broadcast", 1), 10, 1).call(call("reduce", 0), 20, 2);
  EXPECT_THAT(read({text}).calls(0),
              ElementsAre("bcast 64 float32 root 1 on 0", "reduce 64 float32 root 0 on 0", "barrier on 0"));
}

TEST(Kineto, WhereTheHostWasNotRecordedKernelsAreTheCalls) {
  KinetoText text(0);
  text.kernel(call("allreduce", 0), 10, 5).kernel(call("allreduce", 0), 11, 5).kernel(call("barrier", 0), 20, 6);
  EXPECT_THAT(read({text}).calls(0), ElementsAre("allreduce 64 float32 on 0", "barrier on 0"));
}

TEST(Kineto, ACallLaunchedBeforeTheWindowCountsWhereItsNumberTellsWhichItIs) {
  KinetoText numbered(0), plain(0);
  numbered.kernel(call("allreduce", 0, 7), 5, 1)
      .call(call("barrier", 0, 8), 10, 2)
      .kernel(call("barrier", 0, 8), 12, 2);
  plain.kernel(call("allreduce", 0), 5, 1).call(call("barrier", 0), 10, 2).kernel(call("barrier", 0), 12, 2);
  EXPECT_THAT(read({numbered}).calls(0), ElementsAre("allreduce 64 float32 on 0", "barrier on 0"));
  const Traces traces = read({plain});
  EXPECT_THAT(traces.calls(0), ElementsAre("barrier on 0"));
  EXPECT_THAT(traces.notes.facts, Contains(HasSubstr("1 kernel of communication")));
}

TEST(Kineto, CallsBehindTheLastKernelWereOnlyEnqueued) {
  KinetoText text(0);
  text.call(call("allreduce", 0), 10, 1).kernel(call("allreduce", 0), 12, 1);
  text.call(call("allreduce", 0), 20, 2).event("kernel", "void gemm()", 21, "\"External id\": 9");
  const Traces traces = read({text});
  EXPECT_EQ(traces.events(0)[0].state, EventState::completed);
  EXPECT_EQ(traces.events(0)[1].state, EventState::scheduled);
  EXPECT_THAT(traces.notes.facts, Contains(HasSubstr("no kernel that ended: 1 call")));
}

TEST(Kineto, AKernelThatNamesNoCallMayBeTheOneOfALaunchOfSeveral) {
  KinetoText text(0);
  text.call(call("allreduce", 0), 10, 1).kernel(call("allreduce", 0), 12, 1).call(call("allreduce", 0), 20, 2);
  text.event("kernel", "ncclDevKernel_SendRecv", 25, "\"stream\": 3");
  EXPECT_EQ(read({text}).events(0)[1].state, EventState::completed);
}

TEST(Kineto, AnEventWithoutADurationIsStarted) {
  KinetoText text(0);
  text.event("cpu_op", "record_param_comms", 9, KinetoText::arguments(call("allreduce", 0)), "");
  EXPECT_EQ(read({text}).events(0)[0].state, EventState::started);
}

TEST(Kineto, AWindowStandsWhereItsNumbersSay) {
  const auto window = [](int rank, std::vector<int> numbers) {
    KinetoText text(rank);
    for (const int number : numbers) text.call(call("allreduce", rank, number), number, number);
    return text;
  };
  const Traces traces = read({window(0, {100, 101, 103}), window(1, {101, 102, 103})});
  EXPECT_THAT(traces.trace(0).end.joined, ElementsAre(std::pair(1, 99)));
  EXPECT_THAT(traces.trace(1).end.joined, ElementsAre(std::pair(1, 100)));
  EXPECT_EQ(traces.events(0)[2].extras.coll_seq(), 102);  // the one before it was not recorded
  EXPECT_EQ(traces.events(1)[2].extras.coll_seq(), kUnset);
}

TEST(Kineto, WithoutNumbersTheFirstCallsAreTheSameAndItIsSaid) {
  const Traces traces =
      read({KinetoText(0).call(call("barrier", 0), 1, 1), KinetoText(1).call(call("barrier", 1), 9, 1)});
  EXPECT_THAT(traces.trace(0).end.joined, IsEmpty());
  EXPECT_EQ(traces.trace(0).end.dropped, 0U);
  EXPECT_THAT(traces.notes.facts, Contains(HasSubstr("their first calls are taken for the same")));
}

TEST(Kineto, SeveralWindowsOfARankFollowEachOther) {
  const Traces traces =
      read({KinetoText(0).call(call("barrier", 0, 20), 500, 1), KinetoText(0).call(call("allreduce", 0, 7), 100, 1)});
  EXPECT_THAT(traces.calls(0), ElementsAre("allreduce 64 float32 on 0", "barrier on 0"));
  EXPECT_EQ(traces.events(0)[1].extras.coll_seq(), 19);
  EXPECT_THAT(traces.notes.warnings, Contains(HasSubstr("several files of rank 0")));
}

std::vector<int> strided(int first, int stride, int size) {
  std::vector<int> ranks;
  for (int i = 0; i < size; ++i) ranks.push_back(first + stride * i);
  return ranks;
}

TorchTestCall on(const std::string& group, const std::vector<int>& members) {
  TorchTestCall made;
  made.group = group;
  made.description = "";
  made.members = members;
  return made;
}

TEST(Kineto, AListThatIsCutIsCompletedByItsStride) {
  const std::vector<int> members = strided(1, 2, 40);
  const Traces traces = read({KinetoText(1, 128).call(on("5", members), 1, 1)});
  EXPECT_EQ(traces.members("5"), std::vector<std::int32_t>(members.begin(), members.end()));
  EXPECT_THAT(traces.notes.warnings, IsEmpty());
}

TEST(Kineto, AListThatIsCutIsCompletedByTheFilesOwnListOfGroups) {
  std::vector<int> members = strided(0, 1, 40);
  std::swap(members[31], members[35]);
  const std::string groups =
      fmt::format(R"([{{"pg_name": "5", "pg_desc": "dp", "pg_size": 40, "ranks": [{}]}}])", fmt::join(members, ", "));
  const Traces traces =
      read({KinetoText(0, 64).call(on("5", members), 1, 1), KinetoText(3, 64, groups).call(on("5", members), 1, 1)});
  EXPECT_EQ(traces.members("5"), std::vector<std::int32_t>(members.begin(), members.end()));
}

TEST(Kineto, WhoIsInAGroupOfWhichTheListIsCutAndNothingTellsIsSaid) {
  std::vector<int> members = strided(0, 1, 40);
  std::swap(members[3], members[7]);
  const Traces traces = read({KinetoText(0, 64).call(on("5", members), 1, 1)});
  EXPECT_THAT(traces.notes.warnings, Contains(HasSubstr("who is in the group \"5\" is not told")));
  EXPECT_EQ(traces.members("5").size(), 30U);
}

TEST(Kineto, TheWholeWorldNeedsNoList) {
  TorchTestCall made = on("0", strided(0, 1, 64));
  const Traces traces = read({KinetoText(3, 64).call(made, 1, 1)});
  EXPECT_EQ(traces.members("0").size(), 64U);
  EXPECT_THAT(traces.notes.warnings, IsEmpty());
}

TEST(Kineto, WhatStandsBehindTheEventsTellsTheRankToo) {
  KinetoText text(-1);
  text.call(call("broadcast", 0), 1, 1);
  text.behind(R"("distributedInfo": {"backend": "nccl", "rank": "1", "world_size": 2, "pg_config": []})");
  EXPECT_THAT(read({text}).calls(1), ElementsAre("bcast 64 float32 root 0 on 0"));
}

TEST(Kineto, ARankThatWasWrittenAsNothingIsFoundByItsCalls) {
  KinetoText text(-1);
  text.call(call("allreduce", 1), 1, 1).behind(R"("distributedInfo": {"backend": "nccl", "rank": , "world_size": 2})");
  const Traces traces = read({text});
  EXPECT_THAT(traces.calls(1), ElementsAre("allreduce 64 float32 on 0"));
  EXPECT_THAT(traces.notes.warnings, ElementsAre(HasSubstr("\"distributedInfo\" is no JSON")));
}

TEST(Kineto, MessagesNameTheirPeersByGlobalRank) {
  const auto message = [](const std::string& name) {
    TorchTestCall made = on("pp", {2, 5});
    made.name = name;
    made.rank = 1;
    return made;
  };
  KinetoText text(2, 8);
  text.call(message("send"), 1, 1)
      .call(message("recv"), 2, 2)
      .event("user_annotation", "nccl:coalesced", 3, "\"a\": 1");
  text.call(message("send"), 5, 3).event("user_annotation", "nccl:send 0->1", 6, "\"a\": 1");
  EXPECT_THAT(read({text}).calls(2), ElementsAre("isend 64 float32 peer 1 on pp", "irecv 64 float32 peer 1 on pp",
                                                 "waitall", "send 64 float32 peer 1 on pp"));
}

TEST(Kineto, SplitsThatAreCutAreNotKnown) {
  TorchTestCall made = on("0", strided(0, 1, 64));
  made.name = "all_to_allv";
  made.in_split = "[1, 1, ...]";
  const Traces traces = read({KinetoText(3, 64).call(made, 1, 1)});
  EXPECT_THAT(traces.calls(3), ElementsAre("alltoallv float32 on 0"));
  EXPECT_TRUE(traces.events(3)[0].extras.sendcounts().empty());
}

TEST(Kineto, AFileThatBreaksOffIsUsedAsFarAsItGoes) {
  const std::string text = KinetoText(0).call(call("allreduce", 0), 1, 1).call(call("barrier", 0), 2, 2).text();
  const Traces traces(read_kineto_traces, {memory_trace("t", text.substr(0, text.rfind("Rank")))});
  EXPECT_THAT(traces.calls(0), ElementsAre("allreduce 64 float32 on 0"));
  EXPECT_EQ(traces.trace(0).end.kind, EndKind::cut);
}

TEST(Kineto, DamageInsideIsAnErrorWithItsLine) {
  std::string text = KinetoText(0).call(call("allreduce", 0), 1, 1).text();
  text.replace(text.find("\"ts\": 1"), 7, "\"ts\": x");
  EXPECT_THAT(error_of(read_kineto_traces, {memory_trace("t", text)}), HasSubstr("t:7: an event was expected"));
  EXPECT_THAT(error_of(read_kineto_traces, {file(KinetoText(0))}), HasSubstr("no call of a collective is there"));
}

TEST(Kineto, CallsOfGlooHaveNoGroupAndAreTold) {
  KinetoText text(0);
  text.event("user_annotation", "gloo:all_reduce", 3, "\"a\": 1").event("user_annotation", "gloo:send", 4, "\"a\": 1");
  EXPECT_THAT(error_of(read_kineto_traces, {file(text)}), HasSubstr("2 calls of Gloo"));
}

TEST(Kineto, TracesOfOtherProgramsAreNone) {
  EXPECT_FALSE(is_kineto_trace(memory_trace("t", R"({"traceEvents": [{"ph": "X", "name": "frame", "ts": 1}]})")));
  EXPECT_FALSE(is_kineto_trace(memory_trace("t", R"([{"ph": "X", "name": "frame", "ts": 1}])")));
  EXPECT_FALSE(is_kineto_trace(memory_trace("t", R"({"petri":1,"world":2})")));
  EXPECT_FALSE(is_kineto_trace(memory_trace("t", "")));
  const std::string kept =
      R"({"traceEvents": [)" + std::string(100000, ' ') + R"({"args": {"Collective name": "x"}}]})";
  EXPECT_TRUE(is_kineto_trace(memory_trace("t", kept)));
}

}  // namespace
}  // namespace petri::test
