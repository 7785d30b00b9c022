// NCCL logs: lines that other output cut, and warnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/import/nccl_warning.hpp"
#include "tests/import/nccl_log_text.hpp"

namespace petri {
namespace {

using test::NcclLog;
using test::ReadLog;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two ranks, two communicators, four calls each; `third` is how rank 1's third call, on "p", is written.
template <class Third>
std::string four_calls(const Third& third, std::uint64_t launches_before = 5) {
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  log.init("p", {0, 1}, 0xdef);
  for (const int rank : {0, 1}) {
    log.launches("w", rank) = launches_before;
    log.call(rank, "AllReduce", "w", 1);
    log.call(rank, "AllReduce", "p", 2);
    if (rank == 0)
      log.call(rank, "AllGather", "p", 3);
    else
      third(log, fmt::format("{} NCCL INFO {}", NcclLog::origin(1),
                             log.call_text(1, "AllGather", "p", 3, 7, 0, 0, log.launches("p", 1)++)));
    log.call(rank, "AllReduce", "p", 4);
  }
  return log.together();
}

TEST(NcclLogCuts, OfAnotherProcessesLineInFrontLeaveTheCallWhole) {
  const ReadLog whole(four_calls([](NcclLog& log, const std::string& line) { log.line(1, line); }));
  const ReadLog glued(
      four_calls([](NcclLog& log, const std::string& line) { log.line(1, "epoch 3 loss 0.25" + line); }));
  EXPECT_EQ(glued.calls(1), whole.calls(1));
  EXPECT_THAT(glued.notes.warnings, IsEmpty());
  const ReadLog two(four_calls([](NcclLog& log, const std::string& line) {
    log.line(1, fmt::format("{} NCCL INFO Channel 00/{}", NcclLog::origin(0), line));
  }));
  EXPECT_EQ(two.calls(1), whole.calls(1));
}

TEST(NcclLogCuts, LeaveACallItsPlaceWhereLaunchNumbersProveIt) {
  const ReadLog read(four_calls([](NcclLog& log, const std::string& line) {
    log.line(1, line.substr(0, line.find(" datatype")) + "WARNING: something else");
  }));
  EXPECT_THAT(read.calls(1), ElementsAre("allreduce(1 float32 sum)", "allreduce(2 float32 sum) on 0xdef",
                                         "allgather on 0xdef", "allreduce(4 float32 sum) on 0xdef"));
  EXPECT_EQ(read.rank(1).end.kind, EndKind::running);
  EXPECT_THAT(read.notes.warnings, ElementsAre(HasSubstr("1 line is cut by other output")));
}

TEST(NcclLogCuts, EndARecordWhereItCannotBeKnownWhichCallItWas) {
  const ReadLog read(
      four_calls([](NcclLog& log, const std::string& line) { log.line(1, line.substr(0, line.find("opCount") + 4)); }));
  EXPECT_EQ(read.calls(1).size(), 2u);
  EXPECT_EQ(read.rank(1).end.kind, EndKind::cut);
  EXPECT_EQ(read.rank(0).end.kind, EndKind::running);
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("the log of rank 1 is used up to such a line only")));
}

TEST(NcclLogCuts, AreNotMendedWhereTwoCommunicatorsFit) {
  const ReadLog read(
      four_calls([](NcclLog& log, const std::string& line) { log.line(1, line.substr(0, line.find(" count"))); }, 0));
  // Launch 1 is next on both, but "p" goes on with launch 2: only there a launch is missing.
  EXPECT_EQ(read.calls(1).size(), 4u);
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  log.init("p", {0, 1}, 0xdef);
  for (const int rank : {0, 1}) log.call(rank, "AllReduce", "w"), log.call(rank, "AllReduce", "p");
  log.info(1, "AllReduce: opCount 1 sendbuff 0x7f5");
  const ReadLog open(log.together());
  EXPECT_EQ(open.calls(1).size(), 2u);
  EXPECT_EQ(open.rank(1).end.kind, EndKind::cut);
}

TEST(NcclLogCuts, OfTheOriginAreCounted) {
  NcclLog log(1);
  log.init("w", {0}, 1);
  log.call(0, "AllReduce", "w");
  const ReadLog read(log.together() + "[0] NCCL INFO AllReduce: opCount 1 sendbuff 0x1\n");
  EXPECT_EQ(read.calls(0).size(), 1u);
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("1 call left out: the lines are cut")));
}

TEST(NcclWarnings, ThatAreErrorsStandAtTheCallBefore) {
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  for (const int rank : {0, 1}) log.call(rank, "AllReduce", "w"), log.call(rank, "AllGather", "w");
  log.warn(1, "Cuda failure 700 'an illegal memory access was encountered'", "enqueue.cc:1421 (ncclLaunchKernel)");
  log.call(1, "AllReduce", "w");
  log.warn(0, "NUMA balancing enabled which can lead to variability in the NCCL performance!", "graph/paths.cc:1");
  const ReadLog read(log.together());
  EXPECT_THAT(read.rank(1).events[0].extras.error(), IsEmpty());
  EXPECT_EQ(read.rank(1).events[1].extras.error(), "Cuda failure 700 'an illegal memory access was encountered'");
  EXPECT_EQ(read.rank(1).events[1].state, EventState::started);
  for (const Event& event : read.rank(0).events) EXPECT_THAT(event.extras.error(), IsEmpty());
  EXPECT_THAT(read.notes.facts, Contains(HasSubstr("1 warning is taken for advice, not for an error, as \"NUMA")));
}

TEST(NcclWarnings, BeforeAllCallsStandAtTheFirstOneOrAreSaid) {
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  for (const int rank : {0, 1}) log.warn(rank, "Call to ibv_reg_mr failed with error Cannot allocate memory");
  log.call(1, "AllReduce", "w");
  const ReadLog read(log.together());
  EXPECT_THAT(read.rank(1).events[0].extras.error(), HasSubstr("ibv_reg_mr"));
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("rank 0 reported \"Call to ibv_reg_mr failed")));
}

TEST(NcclWarnings, OfOthersThatWentAwayAreNoErrors) {
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  for (const int rank : {0, 1}) log.call(rank, "AllReduce", "w");
  log.warn(0, "socketProgress: Connection closed by remote peer node02<54321>", "misc/socket.cc:58");
  const ReadLog read(log.together());
  EXPECT_THAT(read.rank(0).events[0].extras.error(), IsEmpty());
  EXPECT_THAT(read.notes.warnings, Contains(HasSubstr("rank 0 noticed the end of others")));
}

TEST(NcclWarnings, AreSortedByWhatTheyMean) {
  const auto expect = [](WarningKind kind, const char* text, const char* place = "") {
    EXPECT_EQ(kind_of_warning(text, place), kind) << text;
  };
  expect(WarningKind::error, "Cuda failure 'out of memory'");
  expect(WarningKind::error, "HIP failure 'hipErrorLaunchFailure'");
  expect(WarningKind::error, "Call to posix_fallocate failed: No space left on device");
  expect(WarningKind::error,
         "NET/IB : Got completion from peer 10.0.0.2<4791> with status=12 opcode=0 len=0 vendor err 129");
  expect(WarningKind::error, "NET/IB : mlx5_3:1 async fatal event on QP (0x732d): local work queue catastrophic error");
  expect(WarningKind::error, "NET/IB : Got async event : port error");
  expect(WarningKind::error,
         "NET/OFI Request 0x400 completed with error. RC: 107. Error: Inappropriate ioctl for device");
  expect(WarningKind::error, "AllReduce : invalid reduction operation 9 (out of 5)");
  expect(WarningKind::error, "Broadcast : invalid root 8 (root should be in the 0..8 range)");
  expect(WarningKind::error, "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000");
  expect(WarningKind::error, "NET/Socket : message truncated : receiving 1048576 bytes instead of 65536");
  expect(WarningKind::error, "Mismatched collective detected, please check your collective calls at and around rank 3");
  expect(WarningKind::consequence, "Net/Socket: Connection reset by peer");
  expect(WarningKind::consequence, "NET/IB : Got completion from peer 10.0.0.2<1> with status=5 opcode=0 len=0");
  expect(WarningKind::consequence, "Timeout waiting for connection from rank 3");
  expect(WarningKind::consequence, "AllReduce: communicator was revoked");
  expect(WarningKind::advice, "Failed to open libibverbs.so[.1]");
  expect(WarningKind::advice, "NET/IB : mlx5_1:1 Got non-fatal async event: port active(9)");
  expect(WarningKind::advice, "Call to bind failed: Address already in use", "ras/client_support.cc:159");
  expect(WarningKind::advice,
         "Missing \"iommu=pt\" from kernel command line which can lead to system instability or hang!");
  expect(WarningKind::advice, "Could not enable P2P between dev 0 and dev 1");
}

}  // namespace
}  // namespace petri
