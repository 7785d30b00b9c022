// NCCL logs whose text is there twice, and those of jobs that were started again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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
using testing::Not;

void expect_alike(const ReadLog& read, const ReadLog& once) {
  ASSERT_EQ(read.scenario.world(), once.scenario.world());
  for (int rank = 0; rank < once.scenario.world(); ++rank) {
    EXPECT_EQ(read.calls(rank), once.calls(rank)) << "rank " << rank;
    EXPECT_EQ(read.scenario.ranks[static_cast<std::size_t>(rank)].end.kind,
              once.scenario.ranks[static_cast<std::size_t>(rank)].end.kind);
  }
}

// A job of two communicators, one of them ended and followed by another at its place in memory, with a group of
// messages; rank 1 does not come to the last call.
NcclLog job(int minor = 21) {
  NcclLog log(2, minor);
  log.init("w", {0, 1}, 0xabc);
  log.init("p", {0, 1}, 0x100);
  for (const int rank : {0, 1}) {
    log.call(rank, "AllReduce", "w", 10);
    log.call(rank, "AllReduce", "p", 20);
    log.group(rank, "w", {{"Send", 1 - rank}, {"Recv", 1 - rank}});
  }
  log.end("p");
  log.init("p", {0, 1}, 0x101);
  for (const int rank : {0, 1}) {
    log.call(rank, "AllReduce", "p", 20);
    log.call(rank, "AllGather", "w", 30);
  }
  log.call(0, "AllReduce", "w", 40);
  return log;
}

std::string head(const std::string& text, double part) {
  const auto at = static_cast<std::size_t>(static_cast<double>(text.size()) * part);
  return text.substr(0, text.find('\n', at) + 1);
}

std::string tail(const std::string& text, double part) {
  return text.substr(head(text, 1 - part).size());
}

TEST(NcclLogTwice, InOneFileIsTakenOnceAndTold) {
  const std::string text = job().together();
  const ReadLog once(text), twice(text + text);
  expect_alike(twice, once);
  EXPECT_THAT(once.notes.warnings, IsEmpty());
  EXPECT_THAT(twice.notes.warnings, ElementsAre("13 calls are taken once, as the same lines of a process stand there "
                                                "twice or more: job.log"));
  expect_alike(ReadLog(text + text + text), once);
}

TEST(NcclLogTwice, InTwoFilesIsTakenOnceAndTold) {
  const NcclLog log = job();
  const ReadLog once(log.files());
  std::vector<TraceFile> files = log.files();
  files.push_back(memory_trace("slurm.out", log.together([](int rank) { return fmt::format("{}: ", rank); })));
  const ReadLog twice(files);
  expect_alike(twice, once);
  EXPECT_THAT(twice.notes.warnings, ElementsAre(HasSubstr("13 calls are taken once")));
  std::reverse(files.begin(), files.end());
  expect_alike(ReadLog(files), once);
}

TEST(NcclLogTwice, InPartIsCompletedFromEitherPart) {
  const std::string text = job().together();
  const ReadLog once(text);
  for (const double part : {0.2, 0.5, 0.8}) {
    const std::string begun = head(text, part), ended = tail(text, 1 - part / 2);
    expect_alike(ReadLog(begun + text), once);
    expect_alike(ReadLog(text + begun), once);
    expect_alike(ReadLog(text + ended), once);
    for (const auto& [a, b] : {std::pair(begun, text), std::pair(text, begun), std::pair(ended, text),
                               std::pair(text, ended), std::pair(head(text, 0.7), tail(text, 0.7))})
      expect_alike(ReadLog({memory_trace("a", a), memory_trace("b", b)}), once);
  }
}

TEST(NcclLogTwice, GoesOnInAnotherFileWithoutAWord) {
  const std::string text = job().text(0);
  const ReadLog parts({memory_trace("1", job().text(1)), memory_trace("0.a", head(text, 0.5)),
                       memory_trace("0.b", text.substr(head(text, 0.5).size()))});
  expect_alike(parts, ReadLog(job().files()));
  EXPECT_THAT(parts.notes.warnings, IsEmpty());
}

TEST(NcclLogTwice, LineForLineIsTakenOnce) {
  const std::string text = job().together();
  std::string doubled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    for (int time = 0; time < 2; ++time) doubled += text.substr(at, end - at);
    at = end;
  }
  expect_alike(ReadLog(doubled), ReadLog(text));
}

TEST(NcclLogTwice, OfReleasesWithoutACommIdIsTakenOnce) {
  NcclLog log(2, 10);
  log.init("w", {0, 1}, 0);
  for (const int rank : {0, 1}) log.call(rank, "AllReduce", "w", 10), log.call(rank, "AllReduce", "w", 20);
  log.call(0, "AllReduce", "w", 30);
  expect_alike(ReadLog(log.together() + log.together()), ReadLog(log.together()));
}

TEST(NcclLogTwice, OfCallsWithoutCreationsIsTakenOnce) {
  NcclLog log(2, 21, true);
  log.init("w", {0, 1}, 1);
  std::string text;
  for (unsigned launch = 40; launch < 44; ++launch)
    for (const int rank : {0, 1})
      text += fmt::format("{} NCCL INFO {}\n", NcclLog::origin(rank),
                          log.call_text(rank, "AllReduce", "w", launch, 7, 0, 0, launch));
  expect_alike(ReadLog(text + text), ReadLog(text));
  expect_alike(ReadLog({memory_trace("a", tail(text, 0.7)), memory_trace("b", text)}), ReadLog(text));
}

TEST(NcclLogTwice, GivesALineThatIsCutInOneCopyBackFromTheOther) {
  const std::string text = job().together();
  std::string cut = text;
  const std::string origin = NcclLog::origin(1);
  const std::size_t line = cut.find(origin + " NCCL INFO AllGather");
  ASSERT_NE(line, std::string::npos);
  cut.replace(cut.find(" count", line), cut.find('\n', line) - cut.find(" count", line), "WARNING: something else");
  const ReadLog once(text);
  expect_alike(ReadLog(cut + text), once);
  expect_alike(ReadLog(text + cut), once);
  for (const auto& [a, b] : {std::pair(cut, text), std::pair(text, cut)}) {
    const ReadLog read({memory_trace("a", a), memory_trace("b", b)});
    expect_alike(read, once);
    EXPECT_THAT(read.notes.warnings, Not(Contains(HasSubstr("cut by other output"))));
  }
}

TEST(NcclLogTwice, SaysAnErrorOnce) {
  NcclLog log = job();
  log.warn(1, "Cuda failure 700 'an illegal memory access was encountered'", "enqueue.cc:1421 (ncclLaunchKernel)");
  const ReadLog once(log.together());
  for (const ReadLog& twice :
       {ReadLog(log.together() + log.together()),
        ReadLog({memory_trace("a", log.together()), memory_trace("b", job().together() + log.together())})}) {
    expect_alike(twice, once);
    EXPECT_THAT(twice.scenario.ranks[1].events.back().extras.error(), HasSubstr("Cuda failure 700"));
  }
}

// Calls that a CUDA graph captures are written with one number before the graph runs.
TEST(NcclLogTwice, IsNotWhatACapturedGraphRepeats) {
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  for (const int rank : {0, 1})
    for (int layer = 0; layer < 3; ++layer)
      log.info(rank, log.call_text(rank, "AllReduce", "w", 10, 7, 0, 0, log.launches("w", rank)));
  const ReadLog once(log.together());
  EXPECT_EQ(once.calls(0).size(), 3u);
  expect_alike(ReadLog(log.together() + log.together()), once);
}

TEST(NcclLogRestarts, WithTheSameNumbersOfProcessesAreAnotherRun) {
  const auto run = [](std::uint64_t id, int count) {
    NcclLog log(2);
    for (const int rank : {0, 1}) log.info(rank, "cudaDriverVersion 12040");
    log.init("w", {0, 1}, id);
    for (const int rank : {0, 1}) log.call(rank, "AllReduce", "w", count);
    log.call(0, "AllReduce", "w", count + 1);
    return log.together();
  };
  const std::string first = run(0xabc, 10), second = run(0xdef, 20);
  const ReadLog last(second);
  EXPECT_THAT(last.calls(0), ElementsAre("allreduce(20 float32 sum)", "allreduce(21 float32 sum)"));
  const std::vector<ReadLog> both{ReadLog(first + second),
                                  ReadLog({memory_trace("a", first), memory_trace("b", second)}),
                                  ReadLog({memory_trace("a", first + second), memory_trace("b", second + first)})};
  for (const ReadLog& read : both) {
    expect_alike(read, last);
    EXPECT_THAT(read.notes.warnings,
                Contains(HasSubstr("2 processes are left out: nothing is shared with the others")));
  }
}

}  // namespace
}  // namespace petri
