// Signatures: equal for one failure at every size of the job, different for different failures.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/diagnose/same_failure.hpp"
#include "tests/support/scenario_text.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::scenario;
using test::script;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Signature, RingOfSendsHasOneSignatureAtEverySize) {
  const auto ring = [](int world) {
    std::string lines;
    for (int rank = 0; rank < world; ++rank) {
      lines += fmt::format("{{\"rank\":{},\"op\":\"send\",\"peer\":{},\"count\":9,\"dtype\":\"int32\"}}\n", rank,
                           (rank + 1) % world);
      lines += fmt::format("{{\"rank\":{},\"op\":\"recv\",\"peer\":{},\"count\":9,\"dtype\":\"int32\"}}\n", rank,
                           (rank + world - 1) % world);
    }
    return diagnose(scenario(world, lines));
  };
  EXPECT_EQ(ring(2).verdict, Verdict::deadlock);
  EXPECT_EQ(ring(2).signature, ring(3).signature);
  EXPECT_EQ(ring(2).signature, ring(32).signature);
  EXPECT_THAT(ring(5).assumptions, Contains(HasSubstr("36 bytes")));
}

// The call that makes a persistent collective's request may block, and so may the wait for what was started.
TEST(Signature, WaitingForAStartIsAnotherFailureThanBlockingWhereTheRequestIsMade) {
  const std::string init = "bcast_init(root=1 count=1 dtype=int32 request=1)",
                    go_on = "start(request=1); wait(request=1)";
  const std::string started =
      diagnose(script({init + "; " + go_on, init + "; recv(peer=0 tag=4); " + go_on})).signature;
  const std::string made = diagnose(script({init, "recv(peer=0 tag=4); " + init})).signature;
  EXPECT_EQ(started, "deadlock: A(bcast_init started@0 waits for B) B(recv@0 waits for A)");
  EXPECT_EQ(made, "deadlock: A(bcast_init@0 waits for B) B(recv@0 waits for A)");
}

// Whether buffering hides a deadlock does not hang on others beside it, of other ranks or of the same ones for others.
TEST(Signature, TheClauseAboutBufferingIsThatOfTheFailureItself) {
  const char* to_itself = "send(peer=0 count=1 dtype=int32); recv(peer=0 count=1 dtype=int32)";
  const Diagnosis alone = diagnose(script({to_itself}));
  const Diagnosis beside = diagnose(script({to_itself, "ssend(peer=2)", "ssend(peer=1)"}));
  EXPECT_EQ(alone.signature, "deadlock: A(send@0 waits for itself) (unless 4 bytes are buffered)");
  EXPECT_EQ(beside.signature, alone.signature);
  EXPECT_TRUE(has_failure(beside, "deadlock: A(ssend@0 waits for A)"));

  const std::string bcast = "bcast(root=0 count=1 dtype=int32)";
  const Diagnosis left_out = diagnose(script({bcast, bcast, bcast, ""}));
  const Diagnosis and_later = diagnose(script({bcast, bcast + "; recv(peer=2)", bcast + "; recv(peer=1)", ""}));
  EXPECT_EQ(left_out.signature, "deadlock: A(bcast@0 waits for finalize) (unless collectives leave early)");
  EXPECT_EQ(and_later.signature, left_out.signature);
}

TEST(SameFailure, OneThatTheRightOrderAvoidsIsAnotherThanOneThatNoneDoes) {
  const auto job = [](const char* receives) {
    return script({std::string(receives) + "; barrier", "send(peer=0); barrier", "send(peer=0); barrier", "barrier"});
  };
  const Scenario race = job("recv(peer=any); recv(peer=1)");
  const Diagnosis stolen = diagnose(race);
  const Diagnosis never_sent = diagnose(job("recv(peer=3)"));
  ASSERT_EQ(stolen.verdict, Verdict::deadlock);
  ASSERT_EQ(never_sent.verdict, Verdict::deadlock);
  EXPECT_EQ(failure_of(stolen).orders, Failure::Orders::some);
  EXPECT_EQ(failure_of(never_sent).orders, Failure::Orders::all);
  const Failure looks_alike{stolen.signature, Failure::Orders::all, {}};
  EXPECT_EQ(likeness(race, stolen, failure_of(stolen)), Likeness::same);
  EXPECT_EQ(likeness(race, stolen, looks_alike), Likeness::other);
  EXPECT_EQ(name_beside(stolen, looks_alike), stolen.signature + ", in some orders only");
  EXPECT_EQ(likeness(race, stolen, {stolen.signature, Failure::Orders::unsettled, {}}), Likeness::same);
}

// Two pairs fail in the same way, each by itself.
TEST(SameFailure, AmongOtherRanksIsElsewhere) {
  const Scenario first = script({"recv(peer=1)", "recv(peer=0)", "", ""});
  Scenario second = script({"recv(peer=1)", "recv(peer=0)"});
  const Failure begun_by_0_and_1 = failure_of(first, diagnose(first));
  EXPECT_EQ(begun_by_0_and_1.culprits, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(likeness(second, diagnose(second), begun_by_0_and_1), Likeness::same);
  second.header.origin = Origin{};
  second.header.origin->ranks = {2, 3};
  EXPECT_EQ(likeness(second, diagnose(second), begun_by_0_and_1), Likeness::elsewhere);
  EXPECT_EQ(likeness(second, diagnose(second), failure_of(diagnose(first))), Likeness::same);
}

TEST(Signature, OfEachFailureIsItsOwn) {
  const Diagnosis diagnosis =
      diagnose(script({"allreduce(count=1 dtype=int32 reduce=sum); bcast(root=0 count=1 dtype=int8)",
                       "allreduce(count=1 dtype=float32 reduce=sum); bcast(root=1 count=1 dtype=int8)"}));
  EXPECT_TRUE(has_failure(diagnosis, diagnosis.signature));
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].signature, diagnosis.signature);
  EXPECT_NE(diagnosis.findings[1].signature, diagnosis.signature);
  EXPECT_TRUE(has_failure(diagnosis, diagnosis.findings[1].signature));
  EXPECT_FALSE(has_failure(diagnosis, "deadlock: another"));
}

TEST(Signature, CyclesOverDifferentNumbersOfCommunicatorsDiffer) {
  const auto cycle = [](int world) {
    std::string lines;
    for (int rank = 0; rank < world; ++rank)
      lines += fmt::format("{{\"comm\":\"c{}\",\"ranks\":[{},{}]}}\n", rank, rank, (rank + 1) % world);
    for (int rank = 0; rank < world; ++rank) {
      lines += fmt::format("{{\"rank\":{},\"op\":\"allreduce\",\"comm\":\"c{}\"}}\n", rank, rank);
      lines += fmt::format("{{\"rank\":{},\"op\":\"allreduce\",\"comm\":\"c{}\"}}\n", rank, (rank + world - 1) % world);
    }
    return diagnose(scenario(world, lines)).signature;
  };
  EXPECT_NE(cycle(3), cycle(4));
  EXPECT_NE(cycle(2), cycle(3));
}

// A grid of ranks that reduce along rows, then along columns, then meet in a barrier; rank `odd` skips its row.
Scenario grid(int rows, int columns, int odd) {
  std::string lines;
  for (int row = 0; row < rows; ++row) {
    std::vector<int> ranks;
    for (int column = 0; column < columns; ++column) ranks.push_back(row * columns + column);
    lines += fmt::format("{{\"comm\":\"row{}\",\"ranks\":[{}]}}\n", row, fmt::join(ranks, ","));
  }
  for (int column = 0; column < columns; ++column) {
    std::vector<int> ranks;
    for (int row = 0; row < rows; ++row) ranks.push_back(row * columns + column);
    lines += fmt::format("{{\"comm\":\"column{}\",\"ranks\":[{}]}}\n", column, fmt::join(ranks, ","));
  }
  for (int rank = 0; rank < rows * columns; ++rank) {
    if (rank != odd)
      lines += fmt::format("{{\"rank\":{},\"op\":\"allreduce\",\"comm\":\"row{}\"}}\n", rank, rank / columns);
    lines += fmt::format("{{\"rank\":{},\"op\":\"allgather\",\"comm\":\"column{}\"}}\n", rank, rank % columns);
    lines += fmt::format("{{\"rank\":{},\"op\":\"barrier\"}}\n", rank);
  }
  return scenario(rows * columns, lines);
}

TEST(Signature, WaitsBesideTheCycleAreNoPartOfTheFailure) {
  // All columns but one wait for the row that waits for rank 5, which waits for all of them in the barrier.
  const Diagnosis large = diagnose(grid(4, 4, 5));
  EXPECT_EQ(large.verdict, Verdict::deadlock);
  EXPECT_EQ(large.signature, "deadlock: A(allreduce@0 waits for B) B(barrier@1 waits for A)");
  EXPECT_EQ(large.signature, diagnose(grid(2, 3, 1)).signature);
  EXPECT_THAT(large.findings.front().culprits, ElementsAre(5));
  EXPECT_THAT(large.findings.front().evidence, Contains(HasSubstr("blocked only because others are")));
  EXPECT_EQ(diagnose(grid(4, 4, -1)).verdict, Verdict::completes);
}

TEST(Signature, StagesThatWaitAlikeInACycleOfMessagesCountOnce) {
  // The first stage waits for its message to be taken, each other one for the stage before it.
  const auto cycle = [](int stages, const char* comm) {
    std::vector<int> ranks(static_cast<std::size_t>(stages));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::string lines = fmt::format("{{\"comm\":\"c\",\"ranks\":[{}]}}\n", fmt::join(ranks, ","));
    for (int rank = 1; rank < stages; ++rank)
      lines += fmt::format("{{\"rank\":{},\"op\":\"recv\",\"peer\":{},\"tag\":1,\"comm\":\"{}\"}}\n", rank, rank - 1,
                           rank == 1 ? comm : "world");
    lines += fmt::format("{{\"rank\":0,\"op\":\"send\",\"peer\":{},\"tag\":2}}\n", stages - 1);
    return diagnose(scenario(stages, lines)).signature;
  };
  EXPECT_THAT(cycle(3, "world"), HasSubstr("A(recv@0 waits for B) B(send@0 waits for A)"));
  EXPECT_EQ(cycle(3, "world"), cycle(7, "world"));
  EXPECT_EQ(cycle(4, "c"), cycle(7, "c"));
  EXPECT_NE(cycle(4, "c"), cycle(4, "world"));  // communicators stay distinct
}

TEST(Signature, StagesBehindALostMessageCountOnce) {
  // Stage 1 sends nothing to stage 2: each later stage waits for the one before it, and the others wait in a barrier.
  const auto pipeline = [](int stages) {
    std::string lines;
    for (int rank = 0; rank < stages; ++rank) {
      if (rank > 0) lines += fmt::format("{{\"rank\":{},\"op\":\"recv\",\"peer\":{}}}\n", rank, rank - 1);
      if (rank != 1 && rank + 1 < stages)
        lines += fmt::format("{{\"rank\":{},\"op\":\"send\",\"peer\":{}}}\n", rank, rank + 1);
      lines += fmt::format("{{\"rank\":{},\"op\":\"barrier\"}}\n", rank);
    }
    return diagnose(scenario(stages, lines)).signature;
  };
  EXPECT_EQ(pipeline(3), "deadlock: A(barrier@0 waits for B) B(recv@0 waits for A)");
  EXPECT_EQ(pipeline(3), pipeline(6));
}

TEST(Signature, SignatureDoesNotDependOnTheOrderOfRanksOrCommunicators) {
  const auto mixed = [](int a, int b, int c, const char* first, const char* second) {
    return diagnose(scenario(3, fmt::format(R"({{"comm":"{3}","ranks":[{0},{1}]}}
      {{"comm":"{4}","ranks":[{1},{2}]}}
      {{"rank":{0},"op":"allreduce","comm":"{3}"}}
      {{"rank":{0},"op":"send","peer":{2}}}
      {{"rank":{1},"op":"barrier","comm":"{4}"}}
      {{"rank":{1},"op":"allreduce","comm":"{3}"}}
      {{"rank":{2},"op":"recv","peer":{0}}}
      {{"rank":{2},"op":"barrier","comm":"{4}"}})",
                                            a, b, c, first, second)))
        .signature;
  };
  const std::string one = mixed(0, 1, 2, "x", "y");
  EXPECT_THAT(one, HasSubstr("deadlock"));
  EXPECT_EQ(one, mixed(2, 1, 0, "x", "y"));
  EXPECT_EQ(one, mixed(1, 2, 0, "y", "x"));
}

// Each rank of a ring waits for the next on a communicator of their own, by the call that `calls` names.
std::string ring_of_communicators(const std::vector<std::string>& calls) {
  const std::size_t world = calls.size();
  std::string lines;
  for (std::size_t i = 0; i < world; ++i)
    lines += fmt::format("{{\"comm\":\"c{}\",\"ranks\":[{},{}]}}\n", (7 * i + 3) % world, i, (i + 1) % world);
  for (std::size_t i = 0; i < world; ++i)
    lines +=
        fmt::format("{{\"rank\":{},\"op\":\"{}\",\"comm\":\"c{}\",\"peer\":1}}\n", i, calls[i], (7 * i + 3) % world);
  return diagnose(scenario(static_cast<int>(world), lines)).signature;
}

TEST(Signature, ARingOnManyCommunicatorsIsToldFromItsLeastRotation) {
  const auto told_from = [](const std::vector<std::string>& calls, std::size_t start) {
    std::string text = "deadlock:";
    for (std::size_t i = 0; i < calls.size(); ++i)
      text += fmt::format(" {}({}@{} waits for {})", static_cast<char>('A' + i), calls[(start + i) % calls.size()], i,
                          static_cast<char>('A' + (i + 1) % calls.size()));
    return text;
  };
  for (const std::size_t world : {3U, 4U, 5U, 6U, 8U}) {
    for (std::size_t pattern = 0; pattern < (1U << world); ++pattern) {
      std::vector<std::string> calls;
      for (std::size_t i = 0; i < world; ++i) calls.push_back((pattern >> i) % 2 == 0 ? "ssend" : "recv");
      std::string least = told_from(calls, 0);
      for (std::size_t start = 1; start < world; ++start) least = std::min(least, told_from(calls, start));
      EXPECT_EQ(ring_of_communicators(calls), least);
    }
  }
}

TEST(Signature, ALongRingOnManyCommunicatorsTakesNoLongerThanItsLength) {
  const std::string signature = ring_of_communicators(std::vector<std::string>(3000, "ssend"));
  EXPECT_THAT(signature, HasSubstr("(ssend@2999 waits for A)"));
}

TEST(Signature, PollsAreOneWaitWhetherTheRecordShowsTheirEndOrNot) {
  const auto polls = [](const char* outcome, const char* end) {
    return diagnose(scenario(2, fmt::format(R"({{"rank":0,"op":"iprobe","peer":1,"tag":4{}}}
    {{"rank":0,"end":"{}"}}
    {{"rank":1,"op":"barrier"}})",
                                            outcome, end)))
        .signature;
  };
  EXPECT_THAT(polls(R"(,"flag":1)", "finalized"), HasSubstr("iprobe polled"));
  EXPECT_EQ(polls(R"(,"flag":1)", "finalized"), polls(R"(,"flag":0,"polls":9)", "running"));
}

}  // namespace
}  // namespace petri
