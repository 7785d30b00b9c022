// NCCL logs that have lost lines: what the numbers of launches prove of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/import/nccl_log_text.hpp"

namespace petri {
namespace {

using test::NcclLog;
using test::ReadLog;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Three ranks, two communicators, eight calls each in an order of their own; rank 1's call `third` is another one.
std::string eight_calls(const std::string& third = "AllGather") {
  NcclLog log(3);
  log.init("w", {0, 1, 2}, 0xabc);
  log.init("p", {0, 1, 2}, 0xdef);
  for (const int rank : {0, 1, 2})
    for (int i = 0; i < 4; ++i) {
      log.call(rank, "AllReduce", "w", 10 + i);
      log.call(rank, rank == 1 && i == 2 ? third : "AllGather", "p", 20 + i);
    }
  return log.together();
}

// Without the line in which all these texts are.
std::string without(std::string text, const std::vector<std::string>& marks) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    const auto has = [&](const std::string& mark) { return line.find(mark) != std::string::npos; };
    if (std::all_of(marks.begin(), marks.end(), has)) return text.erase(begin, end - begin);
    begin = end;
  }
  ADD_FAILURE() << "there is no such line";
  return text;
}

TEST(NcclLogLost, LinesInsideAreTheCallsThatTheOthersMadeThere) {
  const std::string text = eight_calls();
  const ReadLog whole(text);
  for (const std::string op : {"AllReduce", "AllGather"})
    for (int launch = 0; launch < 3; ++launch) {
      const ReadLog read(without(text, {NcclLog::origin(1), op, fmt::format("opCount {:x} ", launch)}));
      EXPECT_EQ(read.calls(1), whole.calls(1)) << op << launch;
      EXPECT_EQ(read.rank(1).end.kind, EndKind::running);
      EXPECT_THAT(read.notes.warnings, ElementsAre(HasSubstr("lines of 1 call of rank 1 are lost")));
    }
}

TEST(NcclLogLost, OfALostLastLineNothingIsKnown) {
  const ReadLog read(without(eight_calls(), {NcclLog::origin(1), "AllGather", "opCount 3 "}));
  EXPECT_THAT(read.calls(1), SizeIs(7));
  EXPECT_THAT(read.notes.warnings, IsEmpty());
}

// Of four launches rank r has lost the first r lines.
TEST(NcclLogLost, BeginningsAreRestoredAsFarAsAnyRankHasThem) {
  NcclLog log(3);
  log.init("w", {0, 1, 2}, 0xabc);
  for (const int rank : {0, 1, 2})
    for (int i = 0; i < 4; ++i) log.call(rank, i % 2 == 0 ? "AllReduce" : "AllGather", "w", 10 + i);
  std::string text = log.together();
  const ReadLog whole(text);
  for (const int rank : {1, 2})
    for (int launch = 0; launch < rank; ++launch)
      text = without(text, {NcclLog::origin(rank), fmt::format("opCount {:x} ", launch)});
  const ReadLog read(text);
  for (const int rank : {1, 2}) EXPECT_EQ(read.calls(rank), whole.calls(rank));
  EXPECT_THAT(read.notes.warnings, ElementsAre(HasSubstr("lines of 3 calls of ranks 1,2 are lost")));
}

TEST(NcclLogLost, WhereTheOrderAmongCommunicatorsIsLostTheLogIsUsedUpToTheGap) {
  std::string text = eight_calls();
  for (const char* const op : {"AllReduce", "AllGather"}) text = without(text, {NcclLog::origin(1), op, "opCount 1 "});
  const ReadLog read(text);
  EXPECT_EQ(read.rank(1).end.kind, EndKind::cut);
}

TEST(NcclLogLost, ArgumentsInWhichTheOthersDifferAreUnknown) {
  NcclLog log(3);
  log.init("w", {0, 1, 2}, 0xabc);
  for (const int rank : {0, 1, 2}) {
    log.call(rank, "AllReduce", "w", rank == 2 ? 8 : 4);
    log.call(rank, "AllReduce", "w", 4);
  }
  const ReadLog read(without(log.together(), {NcclLog::origin(0), "opCount 0 "}));
  EXPECT_EQ(read.rank(0).events.at(0).count, kUnknownCount);
  EXPECT_EQ(read.rank(1).events.at(0).count, 4);
}

TEST(NcclLogLost, WhereTheOthersDisagreeTheLogIsUsedUpToTheGap) {
  const ReadLog read(without(eight_calls("ReduceScatter"), {NcclLog::origin(0), "AllGather", "opCount 2 "}));
  EXPECT_EQ(read.rank(0).end.kind, EndKind::cut);
  EXPECT_THAT(read.calls(0), SizeIs(6));
  EXPECT_THAT(read.notes.warnings, ElementsAre(HasSubstr("the log of rank 0 is used up to a lost line only")));
}

TEST(NcclLogLost, LaunchesOfSeveralCallsMayTakeSeveralNumbers) {
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  log.group(0, "w", {{"AllReduce", -1}, {"AllGather", -1}});
  log.launches("w", 0) = 3;
  log.call(0, "AllReduce", "w");
  for (const char* const op : {"AllReduce", "AllGather", "AllReduce"}) log.call(1, op, "w");
  const ReadLog read(log.together());
  EXPECT_EQ(read.rank(0).events.size(), 3U);
  EXPECT_THAT(read.notes.warnings, IsEmpty());
}

TEST(NcclLogLost, OnCommunicatorsWithMessagesNumbersAreOfEachRank) {
  NcclLog log(2);
  log.init("w", {0, 1}, 0xabc);
  for (const int rank : {0, 1}) log.call(rank, "AllReduce", "w");
  log.launches("w", 0) = 2;
  log.call(1, "AllReduce", "w");
  for (const int rank : {0, 1}) log.group(rank, "w", {{rank == 0 ? "Send" : "Recv", 1 - rank}});
  EXPECT_THAT(ReadLog(log.together()).notes.warnings, IsEmpty());
}

}  // namespace
}  // namespace petri
