// NCCL and RCCL logs: calls, communicators and ranks out of what is written.
#include "harness/import/nccl_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "harness/trace/error.hpp"
#include "tests/import/nccl_log_text.hpp"

namespace petri {
namespace {

using test::memory_trace;
using test::NcclLog;
using test::ReadLog;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<int> first(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

NcclLog three_calls(int ranks, int minor = 21, bool rccl = false) {
  NcclLog log(ranks, minor, rccl);
  log.init("w", first(ranks), 0xadcb40d61cc1bc4b);
  for (int rank = 0; rank < ranks; ++rank) {
    log.call(rank, "AllReduce", "w", 4096, 9, 4);
    log.call(rank, "Broadcast", "w", 8, 0, 0, 2);
    log.call(rank, "ReduceScatter", "w", 16, 8, 3);
  }
  return log;
}

TEST(NcclLogCalls, HaveTheirArgumentsAndAreOnlyScheduled) {
  const ReadLog read(three_calls(4).files());
  EXPECT_EQ(read.scenario.world(), 4);
  EXPECT_EQ(read.scenario.header.backend, "nccl");
  EXPECT_THAT(read.scenario.header.hosts, ElementsAre("node01", "node01", "node01", "node01"));
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(read.calls(rank), ElementsAre("allreduce(4096 bfloat16 avg)", "bcast(8 int8) root 2",
                                              "reduce_scatter_block(16 float64 min)"));
    EXPECT_EQ(read.rank(rank).end.kind, EndKind::running);
    for (const Event& event : read.rank(rank).events) EXPECT_EQ(event.state, EventState::scheduled);
  }
  EXPECT_THAT(read.notes.warnings, IsEmpty());
}

TEST(NcclLogCalls, OfAllReleasesReadAlike) {
  const ReadLog newest(three_calls(8, 28).files());
  for (const int minor : {10, 13, 17, 18, 19, 21, 24}) {
    const ReadLog read(three_calls(8, minor).files());
    ASSERT_EQ(read.scenario.world(), 8) << minor;
    for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(read.calls(rank), newest.calls(rank)) << minor;
    EXPECT_THAT(read.notes.warnings, IsEmpty()) << minor;
  }
}

TEST(NcclLogCalls, OfRcclKeepTheirRankWithoutInitLines) {
  NcclLog log(8, 21, true);
  log.init("w", first(8), 1);
  std::vector<TraceFile> files;
  for (int rank = 0; rank < 8; ++rank) {
    const std::string text = log.call_text(rank, "AllReduce", "w", 100 + rank, 7, 0, 0, 0);
    files.push_back(memory_trace("f", fmt::format("{} NCCL INFO {}\n", NcclLog::origin(7 - rank), text)));
  }
  const ReadLog read(files);
  ASSERT_EQ(read.scenario.world(), 8);
  for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(read.rank(rank).events.at(0).count, 100 + rank);
}

TEST(NcclLogCalls, WithoutInitLinesAreOfRanksInTheOrderOfHostsAndSaySo) {
  NcclLog log(12);
  log.init("w", first(12), 1);
  std::string text;
  for (int rank = 11; rank >= 0; --rank)
    text += fmt::format("{} NCCL INFO {}\n", NcclLog::origin(rank),
                        log.call_text(rank, "AllReduce", "w", 100 + rank, 7, 0, 0, 0));
  const ReadLog read(text);
  ASSERT_EQ(read.scenario.world(), 12);
  for (int rank = 0; rank < 12; ++rank) EXPECT_EQ(read.rank(rank).events.at(0).count, 100 + rank);
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("numbered by host, process and device")));
}

TEST(NcclLogCalls, AreReadBehindWhatLaunchersWriteInFront) {
  const NcclLog log = three_calls(4);
  const ReadLog plain(log.together());
  const std::vector<std::function<std::string(int)>> prefixes{
      [](int rank) { return fmt::format("[1,{}]<stdout>:", rank); },
      [](int rank) { return fmt::format("{}: ", rank); },
      [](int) { return std::string("node01: "); },
      [](int rank) { return fmt::format("[rank{}]:", rank); },
      [](int rank) { return fmt::format("[default{}]:", rank); },
      [](int) { return std::string("2026-02-11T16:02:37.123456789Z stdout F "); },
      [](int rank) { return fmt::format("\x1b[36m(Worker pid={})\x1b[0m ", rank); },
      [](int) { return std::string("\x1b[1;32m"); },
      [](int) { return std::string(" 45%|####5     | 9/20 [00:03<00:04]"); },
  };
  for (const auto& prefix : prefixes) {
    const ReadLog read(log.together(prefix));
    ASSERT_EQ(read.scenario.world(), 4) << prefix(1);
    for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(read.calls(rank), plain.calls(rank)) << prefix(1);
    EXPECT_EQ(read.scenario.header.hosts.at(0), "node01") << prefix(1);
  }
  const ReadLog windows(log.together([](int) { return std::string(); }, "\r\n"));
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(windows.calls(rank), plain.calls(rank));
}

TEST(NcclLogCalls, HaveTheTimesThatAreWrittenInFront) {
  NcclLog log(1);
  log.init("w", {0}, 1);
  const std::string call = log.call_text(0, "AllReduce", "w", 1, 7, 0, 0, 0);
  log.line(0, fmt::format("[1970-01-02 00:00:01.25] {} NCCL INFO {}", NcclLog::origin(0), call));
  log.info(0, call);
  const ReadLog read(log.files());
  EXPECT_DOUBLE_EQ(read.rank(0).time_of(0), 86401.25);
  EXPECT_TRUE(std::isnan(read.rank(0).time_of(1)));
}

TEST(NcclLogCalls, OfUnknownOperationsAreCountedAndLeftOut) {
  NcclLog log(2);
  log.init("w", {0, 1}, 1);
  log.call(0, "PutSignal", "w");
  log.call(0, "AllReduce", "w");
  log.call(1, "AllReduce", "w");
  const ReadLog read(log.files());
  EXPECT_THAT(read.calls(0), ElementsAre("allreduce(1024 float32 sum)"));
  EXPECT_THAT(read.notes.facts, Contains("left out: 1 call of PutSignal"));
}

TEST(NcclLogCalls, OfOneLaunchBeginTheirMessagesTogether) {
  NcclLog log(2);
  log.init("w", {0, 1}, 1);
  for (const int rank : {0, 1}) {
    log.call(rank, "AllReduce", "w");
    log.group(rank, "w", {{"Send", 1 - rank}, {"Recv", 1 - rank}});
    log.group(rank, "w", {{rank == 0 ? "Send" : "Recv", 1 - rank}});
  }
  const ReadLog read(log.files());
  std::vector<std::string> ops;
  for (const Event& event : read.rank(0).events) ops.emplace_back(name_of(event.op));
  EXPECT_THAT(ops, ElementsAre("allreduce", "isend", "irecv", "waitall", "send"));
  EXPECT_EQ(read.rank(0).events[1].peer, 1);
  EXPECT_EQ(read.rank(0).events[3].state, EventState::started);
  EXPECT_EQ(read.rank(1).events[4].op, Op::recv);
  EXPECT_EQ(read.rank(1).events[4].seq, 4u);
}

TEST(NcclLogComms, OfSplitsAreToldApartByParentNumberAndColor) {
  NcclLog log(8);
  log.init("w", first(8), 0xabc);
  for (int half = 0; half < 2; ++half)
    log.split(fmt::format("tp{}", half), {4 * half, 4 * half + 1, 4 * half + 2, 4 * half + 3}, "w", 1, half);
  for (int lane = 0; lane < 4; ++lane) log.split(fmt::format("dp{}", lane), {lane, lane + 4}, "w", 2, lane);
  for (int rank = 0; rank < 8; ++rank) {
    log.call(rank, "AllGather", fmt::format("tp{}", rank / 4), 10 + rank / 4);
    log.call(rank, "ReduceScatter", fmt::format("dp{}", rank % 4), 20 + rank % 4);
  }
  const ReadLog read(log.together());
  EXPECT_THAT(read.comm("0xabc/1.1").ranks, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(read.comm("0xabc/2.3").ranks, ElementsAre(3, 7));
  EXPECT_THAT(read.calls(7),
              ElementsAre("allgather(11 float32) on 0xabc/1.1", "reduce_scatter_block(23 float32 sum) on 0xabc/2.3"));
  EXPECT_THAT(read.notes.warnings, IsEmpty());
}

TEST(NcclLogComms, ThatSeveralGroupsCannotBeToldApartByAreLeftOutWithAWarning) {
  NcclLog log(4, 10);  // no commId
  log.init("w", first(4), 0);
  log.init("a", {0, 1}, 0);
  log.init("b", {2, 3}, 0);
  for (int rank = 0; rank < 4; ++rank) {
    log.call(rank, "AllReduce", rank < 2 ? "a" : "b");
    log.call(rank, "Broadcast", "w");
  }
  const ReadLog read(log.files());
  EXPECT_THAT(read.calls(3), ElementsAre("bcast(1024 float32) root 0"));
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("4 calls left out")));
}

TEST(NcclLogComms, MayHaveTheSamePointerOneAfterTheOther) {
  NcclLog log(4);
  log.init("w", first(4), 0xabc);
  for (int time = 0; time < 2; ++time) {
    log.init("p", {1, 3}, 0x100 + static_cast<unsigned>(time));
    for (const int rank : {1, 3}) log.call(rank, "AllReduce", "p", 50 + time);
    log.end("p");
  }
  const ReadLog read(log.files());
  EXPECT_THAT(read.calls(3), ElementsAre("allreduce(50 float32 sum) on 0x100", "allreduce(51 float32 sum) on 0x101"));
  EXPECT_EQ(read.rank(3).events[0].state, EventState::completed);
  EXPECT_EQ(read.rank(3).end.kind, EndKind::running);  // the largest one is still there
}

TEST(NcclLogComms, ThatAreAllDestroyedEndARankAndAbortedOnesDoNot) {
  for (const auto& [how, end, state] : {std::tuple("Destroy", EndKind::finalized, EventState::completed),
                                        std::tuple("Abort", EndKind::running, EventState::scheduled)}) {
    NcclLog log = three_calls(4);
    log.end("w", how);
    const ReadLog read(log.files());
    EXPECT_EQ(read.rank(2).end.kind, end);
    EXPECT_EQ(read.rank(2).events[1].state, state);
  }
}

TEST(NcclLogComms, WhoseCreationIsNotOverAreCreatedByEvents) {
  NcclLog log(4);
  log.init("w", first(4), 0xabc);
  log.init("p", {0, 1, 2}, 0x77, false);
  const ReadLog read(log.files());
  ASSERT_EQ(read.rank(1).events.size(), 1u);
  EXPECT_EQ(read.rank(1).events[0].op, Op::comm_init_rank);
  EXPECT_EQ(read.rank(1).events[0].state, EventState::started);
  EXPECT_EQ(read.rank(1).events[0].extras.new_comm(), read.scenario.find_comm("0x77"));
  EXPECT_THAT(read.rank(3).events, IsEmpty());
}

TEST(NcclLogRanks, OfMissingLogsAreMissingMembersOfTheirCommunicators) {
  NcclLog log(16);
  log.init("w", first(16), 0xabc);
  for (int lane = 0; lane < 4; ++lane)
    log.split(fmt::format("dp{}", lane), {lane, lane + 4, lane + 8, lane + 12}, "w", 1, lane);
  for (int rank = 0; rank < 16; ++rank) log.call(rank, "AllReduce", fmt::format("dp{}", rank % 4));
  const ReadLog read(log.files({4, 5, 6, 7}));
  EXPECT_EQ(read.scenario.world(), 16);
  EXPECT_EQ(read.rank(5).end.kind, EndKind::missing);
  EXPECT_THAT(read.comm("0xabc/1.2").ranks, ElementsAre(2, 6, 10, 14));
  EXPECT_THAT(read.scenario.header.hosts, IsEmpty());
}

TEST(NcclLogRanks, ThatCannotBeKnownOfMissingLogsLeaveMembersUnknown) {
  NcclLog log(8);
  log.init("w", first(8), 0xabc);
  log.init("p", {5, 2, 7}, 0x77);
  log.call(5, "AllReduce", "p");
  const ReadLog read(log.files({2, 7}));
  EXPECT_FALSE(read.comm("0x77").known);
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("which ranks are in 0x77 cannot be known")));
}

TEST(NcclLogRanks, AreTheDevicesOfOneProcess) {
  std::string text;
  const auto line = [&](int device, const std::string& message) {
    text += fmt::format("dgx:77:{} [{}] NCCL INFO {}\n", 80 + device, device, message);
  };
  for (int device = 0; device < 4; ++device)
    line(device, fmt::format("ncclCommInitAll comm 0x10{0} rank {0} nranks 4 cudaDev {0} nvmlDev {0} busId 1000 commId "
                             "0x5 - Init COMPLETE",
                             device));
  for (int device = 3; device >= 0; --device)  // the current device need not be the communicator's
    line(0, fmt::format("AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count {} datatype 7 op 0 root 0 comm 0x10{} "
                        "[nranks=4] stream (nil)",
                        60 + device, device));
  const ReadLog read(text);
  ASSERT_EQ(read.scenario.world(), 4);
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(read.rank(rank).events.at(0).count, 60 + rank);
}

TEST(NcclLogRanks, OfAnEarlierRunInTheSameFileAreLeftOut) {
  NcclLog early = three_calls(4), late(4);
  late.init("w", first(4), 0x99);
  for (int rank = 0; rank < 4; ++rank) late.call(rank, "AllReduce", "w", 7);
  std::string text = late.together();
  for (std::size_t at = text.find(":40"); at != std::string::npos; at = text.find(":40", at + 1)) text[at + 1] = '5';
  const ReadLog read(early.together() + text);
  EXPECT_EQ(read.scenario.world(), 4);
  EXPECT_THAT(read.calls(0), ElementsAre("allreduce(7 float32 sum)"));
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("4 processes are left out")));
}

TEST(NcclLogRanks, OfOneNameInSeveralContainersAreSeveralProcesses) {
  NcclLog log = three_calls(2);
  std::vector<TraceFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    std::string text = log.text(rank);
    for (std::size_t at = text.find(NcclLog::origin(rank)); at != std::string::npos;
         at = text.find(NcclLog::origin(rank)))
      text.replace(at, NcclLog::origin(rank).size(), "node01:52:52 [0]");
    for (std::size_t at = text.find("cudaDev 1"); at != std::string::npos; at = text.find("cudaDev 1"))
      text[at + 8] = '0';
    files.push_back(memory_trace("f", text));
  }
  const ReadLog read(files);
  EXPECT_EQ(read.calls(0).size(), 3u);
  EXPECT_EQ(read.calls(1).size(), 3u);
}

TEST(NcclLogEnds, AreBehindACallToWhichAllCameAndFromWhichSomeWentOn) {
  NcclLog log = three_calls(4);
  for (const int rank : {0, 1, 3}) log.call(rank, "AllReduce", "w");
  const ReadLog read(log.files());
  EXPECT_EQ(read.rank(2).events.back().state, EventState::completed);
  EXPECT_EQ(read.rank(2).events.front().state, EventState::scheduled);
  EXPECT_EQ(read.rank(0).events.back().state, EventState::scheduled);
  const ReadLog together(three_calls(4).files());
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(together.rank(rank).events.back().state, EventState::scheduled);
  const ReadLog partial(three_calls(4).files({1}));  // rank 1 may not have come
  EXPECT_EQ(partial.rank(2).events.back().state, EventState::scheduled);
}

TEST(NcclLogEnds, AreBehindMessagesThatTheirPeersHaveToo) {
  NcclLog log(3);
  log.init("w", first(3), 0xabc);
  for (const int rank : {0, 1}) log.group(rank, "w", {{"Send", 1 - rank}, {"Recv", 1 - rank}});
  log.call(0, "AllReduce", "w");
  log.call(2, "Recv", "w", 7, 7, 0, 1);
  const ReadLog read(log.files());
  EXPECT_EQ(read.rank(1).events.back().op, Op::waitall);
  EXPECT_EQ(read.rank(1).events.back().state, EventState::completed);
  EXPECT_EQ(read.rank(2).events.back().state, EventState::scheduled);
}

TEST(NcclLogFiles, ThatBeginLateStandWhereTheirLaunchesAreNumbered) {
  NcclLog log(2, 21, true);
  log.init("w", {0, 1}, 1);
  std::vector<TraceFile> files;
  for (const int rank : {0, 1}) {
    std::string text;
    for (int launch = 40 + rank; launch < 44; ++launch)
      text += fmt::format("{} NCCL INFO {}\n", NcclLog::origin(rank),
                          log.call_text(rank, "AllReduce", "w", launch, 7, 0, 0, static_cast<unsigned>(launch)));
    files.push_back(memory_trace("f", text));
  }
  const ReadLog read(files);
  EXPECT_THAT(read.rank(0).end.joined, ElementsAre(testing::Pair(0, 40)));
  EXPECT_THAT(read.rank(1).end.joined, ElementsAre(testing::Pair(0, 41)));
  EXPECT_EQ(read.rank(1).end.dropped, 41u);
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("begins after the job did")));
}

TEST(NcclLogFiles, AreRecognizedByALineOfNcclHoweverLateItComes) {
  const std::string line = three_calls(1).text(0);
  EXPECT_TRUE(is_nccl_log(memory_trace("a", line)));
  EXPECT_TRUE(is_nccl_log(memory_trace("a", std::string(300000, '.') + "\n" + line)));
  EXPECT_FALSE(is_nccl_log(memory_trace("a", "set NCCL_DEBUG=INFO to see lines with NCCL INFO in them\n")));
  EXPECT_FALSE(is_nccl_log(memory_trace("a", std::string("\0", 1) + line)));
  EXPECT_FALSE(is_nccl_log(memory_trace("a", "{\"petri\":1,\"job\":\"node01:1:1 [0] NCCL INFO \"}")));
  EXPECT_FALSE(is_nccl_log(memory_trace("a", "")));
}

TEST(NcclLogFiles, WithoutCommunicatorsAreRejectedWithWhatToSet) {
  NcclLog log(1);
  log.info(0, "NET/Socket : Using [0]eno1:192.168.50.11<0>");
  ImportNotes notes;
  try {
    read_nccl_log(log.files(), notes);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("NCCL_DEBUG_SUBSYS=INIT,COLL"));
  }
}

}  // namespace
}  // namespace petri
