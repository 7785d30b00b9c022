// Who makes one message more than those that do just the same: jobs that gather at rank 0, or scatter from it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Exchange = std::string (*)(int rank, int world);

std::string with_each(const std::string& call, int rank, int world) {
  std::string calls;
  if (rank == 0)
    for (int peer = 1; peer < world; ++peer) calls += fmt::format("{}(peer={} count=8); ", call, peer);
  return calls;
}
std::string gathers(int rank, int world) {
  return rank == 0 ? with_each("recv", 0, world) : "send(peer=0 count=8); ";
}
std::string gathers_from_any(int rank, int world) {
  std::string calls;
  for (int peer = 1; rank == 0 && peer < world; ++peer) calls += "recv(peer=any count=8); ";
  return rank == 0 ? calls : "send(peer=0 count=8); ";
}
std::string gathers_by_requests(int rank, int world) {
  std::string calls, requests;
  for (int peer = rank == 0 ? 1 : world - 1; peer < world; ++peer) {
    calls += rank == 0 ? fmt::format("irecv(peer={0} count=8 request={0}); ", peer)
                       : fmt::format("isend(peer=0 count=8 request={}); ", peer);
    requests += (requests.empty() ? "" : ",") + std::to_string(peer);
  }
  return calls + "waitall(requests=[" + requests + "]); ";
}
std::string scatters(int rank, int world) {
  return rank == 0 ? with_each("send", 0, world) : "recv(peer=0 count=8); ";
}
std::string asks_and_answers(int rank, int world) {
  return rank == 0 ? with_each("recv", 0, world) + with_each("send", 0, world)
                   : "send(peer=0 count=8); recv(peer=0 count=8); ";
}

// Five steps; the culprit makes its exchange of one of them so many times.
Finding root_of(Exchange exchange, int world, int culprit, int odd, int times, const std::string& collective) {
  std::vector<std::string> ranks;
  for (int rank = 0; rank < world; ++rank) {
    std::string calls;
    for (int step = 0; step < 5; ++step) {
      for (int time = 0; time < (rank == culprit && step == odd ? times : 1); ++time) calls += exchange(rank, world);
      calls += collective;
    }
    ranks.push_back(calls);
  }
  const Diagnosis diagnosis = diagnose(script(ranks));
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
  return diagnosis.findings.empty() ? Finding{} : diagnosis.findings.front();
}

TEST(OneTooMany, AWorkersExtraExchangeIsNotTheRootsFault) {
  for (const Exchange exchange : {gathers, gathers_by_requests, scatters, asks_and_answers})
    for (const int world : {3, 4, 8})
      for (int culprit = 1; culprit < world; ++culprit)
        EXPECT_THAT(root_of(exchange, world, culprit, 4, 2, "").culprits, ElementsAre(culprit))
            << exchange(1, 4) << world;
}

TEST(OneTooMany, TheRootsExtraExchangeIsNotTheWorkersFault) {
  for (const Exchange exchange : {gathers, gathers_by_requests, scatters, asks_and_answers})
    for (const int world : {3, 4, 8}) {
      const Finding root = root_of(exchange, world, 0, 4, 2, "");
      EXPECT_THAT(root.culprits, ElementsAre(0)) << exchange(1, 4) << world;
      EXPECT_THAT(root.text, HasSubstr("one message too many"));
    }
}

TEST(OneTooMany, WhoseMessageIsLeftIsNotWhoSentOneTooMany) {
  for (const int world : {4, 5, 8})
    for (const int step : {0, 2, 4}) {
      const Finding root = root_of(gathers_from_any, world, 1, step, 2, "allreduce(count=1); ");
      EXPECT_THAT(root.culprits, ElementsAre(1)) << world << " step " << step;
    }
}

// A worker that got one task more need not have sent an answer too many: the master may have taken one too few.
TEST(OneTooMany, WorkersThatAreGivenTasksAreNotCounted) {
  const std::string task = "recv(peer=0 count=8); send(peer=0 count=8); ", end = "allreduce(count=1)";
  std::string master = "send(peer=1 count=8); send(peer=2 count=8); send(peer=3 count=8); ";
  master += "recv(peer=any count=8); send(peer=1 count=8); ";
  const std::string answers = "recv(peer=any count=8); recv(peer=any count=8); ";
  const Diagnosis diagnosis = diagnose(script({master + answers + end, task + task + end, task + end, task + end}));
  ASSERT_EQ(diagnosis.verdict, Verdict::deadlock);
  EXPECT_THAT(diagnosis.findings.front().culprits, Contains(0));
}

// The root sends to the others later: it did not take the wrong one.
TEST(OneTooMany, WhoHasNotReceivedYetIsNoReasonToBlameTheSender) {
  for (const int world : {4, 8}) {
    EXPECT_THAT(root_of(scatters, world, 1, 0, 0, "allreduce(count=1); ").culprits, Contains(1)) << world;
  }
}

// Receives in a row are no repetition of the root's: how many they are decides what follows.
TEST(OneTooMany, TheRootIsInItsTurnBehindAsManyReceivesAsEver) {
  for (const int culprit : {1, 3}) {
    std::vector<std::string> ranks;
    for (int rank = 0; rank < 4; ++rank) {
      const std::string exchange = asks_and_answers(rank, 4);
      ranks.push_back((rank == culprit ? "" : exchange) + exchange + "barrier");
    }
    const Diagnosis diagnosis = diagnose(script(ranks));
    ASSERT_EQ(diagnosis.verdict, Verdict::deadlock);
    EXPECT_THAT(diagnosis.findings.front().culprits, Contains(culprit));
  }
}

}  // namespace
}  // namespace petri
