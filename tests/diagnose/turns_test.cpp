// Who began it where a collective stands before an exchange with neighbours, and the ranks behind it are never seen to
// go on: the rank whose turn it was not.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
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
using testing::Not;

constexpr const char* kSum = "allreduce(count=1); ";
constexpr const char* kBarrier = "barrier; ";

// With both neighbours of a ring, in the ways in which programs do it.
using Exchange = std::function<std::string(int rank, int world)>;
std::string by_sendrecv(int rank, int world) {
  return fmt::format("sendrecv(sendpeer={} recvpeer={} count=8); ", (rank + 1) % world, (rank + world - 1) % world);
}
std::string by_irecv(int rank, int world) {
  return fmt::format("irecv(peer={} count=8 request=1); send(peer={} count=8); wait(request=1); ",
                     (rank + world - 1) % world, (rank + 1) % world);
}
std::string by_waitall(int rank, int world) {
  return fmt::format("irecv(peer={} count=8 request=1); isend(peer={} count=8 request=2); waitall(requests=[1,2]); ",
                     (rank + world - 1) % world, (rank + 1) % world);
}
std::string on_a_line(int rank, int world) {
  const auto peer = [&](int other) { return other < 0 || other >= world ? "null" : std::to_string(other); };
  return fmt::format("sendrecv(sendpeer={0} recvpeer={1} count=8); sendrecv(sendpeer={1} recvpeer={0} count=8); ",
                     peer(rank + 1), peer(rank - 1));
}
const std::vector<Exchange> kExchanges{by_sendrecv, by_irecv, by_waitall, on_a_line};

// A step is an exchange and a sum, every second one with a barrier behind it; the culprit's is another one.
struct Job {
  int world = 4, steps = 6;
  Exchange exchange = by_sendrecv;
  std::string step(int rank, int number) const {
    return exchange(rank, world) + kSum + (number % 2 == 1 ? kBarrier : "");
  }
  std::vector<std::string> with(int culprit, int odd, const std::string& instead) const {
    std::vector<std::string> ranks;
    for (int rank = 0; rank < world; ++rank) {
      std::string calls;
      for (int number = 0; number < steps; ++number)
        calls += rank == culprit && number == odd ? instead : step(rank, number);
      ranks.push_back(calls);
    }
    return ranks;
  }
};

Finding root_of(const std::vector<std::string>& ranks, const std::string& comms = "") {
  const Diagnosis diagnosis = diagnose(script(ranks, comms));
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
  return diagnosis.findings.empty() ? Finding{} : diagnosis.findings.front();
}

TEST(Turns, BarrierLeftOutBeforeAnExchangeIsTheFaultOfWhoWentOn) {
  for (const Exchange& exchange : kExchanges)
    for (const int world : {4, 8, 12})
      for (const int culprit : {0, world / 2, world - 1})
        for (const int step : {1, 3, 5}) {
          const Job job{world, 7, exchange};
          const auto ranks = job.with(culprit, step, exchange(culprit, world) + kSum);
          EXPECT_THAT(root_of(ranks).culprits, ElementsAre(culprit))
              << "of " << world << ", step " << step << ", " << exchange(culprit, world);
        }
}

TEST(Turns, ExchangeLeftOutIsNotTheNeighboursFault) {
  for (const Exchange& exchange : kExchanges)
    for (const int culprit : {0, 5, 11}) {
      const Job job{12, 6, exchange};
      EXPECT_THAT(root_of(job.with(culprit, 3, std::string(kSum) + kBarrier)).culprits, ElementsAre(culprit));
    }
}

TEST(Turns, ExchangeTooManyAtTheEndIsNotTheFaultOfThoseInFinalize) {
  for (const Exchange& exchange : kExchanges) {
    const Job job{8, 6, exchange};
    const auto ranks = job.with(3, 5, job.step(3, 5) + exchange(3, 8));
    EXPECT_THAT(root_of(ranks).culprits, ElementsAre(3)) << exchange(3, 8);
  }
}

TEST(Turns, WhoWaitsForARankInTheWrongCollectiveIsHeldUp) {
  for (const Exchange& exchange : kExchanges) {
    const Job job{8, 6, exchange};
    EXPECT_THAT(root_of(job.with(3, 2, job.step(3, 2) + kBarrier)).culprits, ElementsAre(3)) << exchange(3, 8);
  }
}

// With the ranks whose number differs in one bit, where there are such: ranks have one to three partners.
std::string butterfly(int rank, int world) {
  std::string calls;
  for (int bit = 1; bit < world; bit *= 2)
    if ((rank ^ bit) < world) calls += fmt::format("sendrecv(sendpeer={0} recvpeer={0} count=8); ", rank ^ bit);
  return calls;
}

// One of `world` ranks leaves out the collective of one of five steps, before or behind the exchange.
Finding root_without(const Exchange& exchange, const std::string& collective, int world, int culprit, int odd,
                     bool behind) {
  std::vector<std::string> ranks;
  for (int rank = 0; rank < world; ++rank) {
    std::string calls;
    for (int step = 0; step < 5; ++step) {
      const std::string here = rank == culprit && step == odd ? "" : collective;
      calls += behind ? exchange(rank, world) + here : here + exchange(rank, world);
    }
    ranks.push_back(calls);
  }
  return root_of(ranks);
}

TEST(Turns, RankWithMorePartnersIsNotHeldAgainstThoseWithFewer) {
  for (const std::string collective : {kBarrier, "bcast(root=0 count=4); ", kSum})
    for (const int world : {5, 9, 10})
      for (const bool behind : {false, true})
        for (const int step : {0, 1, 2, 4})
          for (const int culprit : {0, world / 2, world - 1}) {
            if (behind && step == 4) continue;  // the culprit only ends before the others
            const Finding root = root_without(butterfly, collective, world, culprit, step, behind);
            EXPECT_THAT(root.culprits, Contains(culprit)) << collective << world << " step " << step << " " << behind;
          }
}

std::string one_after_another(int rank, int world) {
  return (rank > 0 ? fmt::format("recv(peer={} count=8); ", rank - 1) : "") +
         (rank < world - 1 ? fmt::format("send(peer={} count=8); ", rank + 1) : "");
}
// Rank 0 sends first: nobody else plays its part.
std::string begun_by_rank_0(int rank, int world) {
  const std::string send = fmt::format("send(peer={} count=8); ", (rank + 1) % world);
  const std::string recv = fmt::format("recv(peer={} count=8); ", (rank + world - 1) % world);
  return rank == 0 ? send + recv : recv + send;
}

TEST(Rounds, RankOfAPartOfItsOwnIsHeldAgainstItsOwnEarlierRounds) {
  for (const int world : {4, 5, 8, 12}) {
    EXPECT_THAT(root_without(begun_by_rank_0, kBarrier, world, 0, 2, false).culprits, ElementsAre(0)) << world;
    EXPECT_THAT(root_without(butterfly, kBarrier, world, world - 1, 2, false).culprits, ElementsAre(world - 1));
    const Finding root = root_without(one_after_another, kBarrier, world, world - 1, 2, false);
    EXPECT_THAT(root.culprits, ElementsAre(world - 1));
    EXPECT_THAT(root.text, HasSubstr("went on without the others"));
    EXPECT_THAT(root.expected, HasSubstr(fmt::format("barrier, as in all earlier rounds of rank {}", world - 1)));
  }
}

std::string in_pairs(int rank, int world) {
  return (rank ^ 1) < world ? fmt::format("sendrecv(sendpeer={0} recvpeer={0} count=8); ", rank ^ 1) : "";
}

// Its partner alone is missing where all others are, and has only done its share.
TEST(Rounds, WhoseOwnRoundWasShortIsNotCleared) {
  for (const Exchange& exchange : {Exchange(in_pairs), Exchange(butterfly), Exchange(begun_by_rank_0)})
    for (const int world : {4, 5, 8})
      for (const int culprit : {0, 1}) {
        std::vector<std::string> ranks;
        for (int rank = 0; rank < world; ++rank) {
          std::string calls;
          for (int step = 0; step < 5; ++step)
            calls += kBarrier + (rank == culprit && step == 2 ? "" : exchange(rank, world));
          ranks.push_back(calls);
        }
        EXPECT_THAT(root_of(ranks).culprits, Contains(culprit)) << exchange(1, 4) << "of " << world;
      }
}

TEST(Turns, OfTwoRanksWithoutAHistoryNameBoth) {
  const Finding root = root_of({"allreduce; sendrecv(peer=1 count=8)", "allreduce; barrier; sendrecv(peer=0 count=8)"});
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
}

// Rank 0 has always gone on with an exchange, and rank 1 comes to a barrier for the first time: a loop that ends looks
// the same.
TEST(Turns, OfTwoRanksWhoseLoopMayHaveEndedNameBoth) {
  const std::string to_1 = by_sendrecv(0, 2) + kSum, to_0 = by_sendrecv(1, 2) + kSum;
  EXPECT_THAT(root_of({to_1 + to_1 + to_1, to_0 + to_0 + kBarrier}).culprits, ElementsAre(0, 1));
}

// Inner loops of four and two steps, one call between them: that both did so once is one place, not two.
TEST(Turns, OfTwoRanksWithInnerLoopsOfDifferentLengthsNameBoth) {
  const std::string step = "allgather(count=1); bcast(root=0 count=4); ";
  const std::string good = kBarrier + step + step + step + step + kBarrier + step + step;
  EXPECT_THAT(root_of({good, good + kBarrier}).culprits, Contains(0));
}

TEST(Turns, OfTwoRanksTheirOwnHistoryTells) {
  for (const int culprit : {0, 1}) {
    const Job job{2, 9, by_sendrecv};
    EXPECT_THAT(root_of(job.with(culprit, 7, by_sendrecv(culprit, 2) + kSum)).culprits, ElementsAre(culprit));
  }
}

// The master alone collects results, for the first time: a worker that sends none is as likely as one receive too many.
TEST(Turns, PartThatARankPlaysForTheFirstTimeIsNotOutOfTurn) {
  std::vector<std::string> ranks(4, "allreduce; barrier");
  ranks[0] = "allreduce; recv(peer=1 tag=9); barrier";
  EXPECT_THAT(root_of(ranks).culprits, ElementsAre(0, 1));
}

TEST(Turns, RanksAtTheEdgeAreNotHeldAgainstThoseInside) {
  // Rank 1 is the only one with two neighbours; rank 2 sends nothing in its first step.
  const Finding root =
      root_of({"irecv(peer=1 request=1); isend(peer=1 request=2); waitall(requests=[1,2]); barrier",
               "irecv(peer=0 request=1); irecv(peer=2 request=2); isend(peer=0 request=3); isend(peer=2 request=4); "
               "waitall(requests=[1,2,3,4]); barrier",
               "irecv(peer=1 request=1); waitall(requests=[1]); barrier"});
  EXPECT_THAT(root.culprits, Contains(2));
}

TEST(Turns, WhoStillHasToSendIsNotSaidToHaveSentElsewhere) {
  // Rank 2 leaves out its last exchange; rank 1 waits for it, and rank 0 for rank 1.
  const Job job{4, 6, on_a_line};
  const Finding root = root_of(job.with(2, 5, ""));
  EXPECT_THAT(root.culprits, Contains(2));
  EXPECT_THAT(root.text, Not(HasSubstr("which does not receive it")));
}

// More calls than are compared with each other: of the other suspect there is no room for any.
TEST(Turns, OfAVeryLongHistoryNameBoth) {
  Scenario scenario(2);
  Communicator alone;
  alone.name = "alone";
  alone.ranks = {0};
  Event sum;
  sum.op = Op::allreduce;
  sum.comm = scenario.add_comm(alone);
  std::vector<Event>& events = scenario.ranks[0].events;
  for (events.reserve(500'001); sum.seq < 500'000; ++sum.seq) events.push_back(sum);
  sum.comm = 0;
  events.push_back(sum);
  sum.op = Op::barrier;
  scenario.ranks[1].events.push_back(sum);
  const Diagnosis diagnosis = diagnose(scenario);
  ASSERT_EQ(diagnosis.verdict, Verdict::deadlock);
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(0, 1));
}

// Ranks in pairs go through steps of an exchange and, every second time, a barrier, all on the pair's communicator or,
// the exchange, on the world; `culprit` leaves out its last barrier, and stands in the next exchange.
std::vector<std::string> in_pairs_without_a_barrier(int world, int culprit, const std::string& exchange_on) {
  std::vector<std::string> ranks;
  for (int rank = 0; rank < world; ++rank) {
    const std::string pair = fmt::format("pair{}", rank / 2);
    const bool is_whole = exchange_on == "world";
    const int peer = is_whole ? rank ^ 1 : (rank ^ 1) % 2;
    const std::string exchange =
        fmt::format("sendrecv(sendpeer={0} recvpeer={0} count=8 comm={1}); ", peer, is_whole ? exchange_on : pair);
    std::string calls;
    for (int step = 0; step < 6; ++step) {
      calls += exchange;
      if (step % 2 == 1 && (rank != culprit || step < 5)) calls += fmt::format("barrier(comm={}); ", pair);
    }
    ranks.push_back(calls + exchange);
  }
  return ranks;
}
constexpr const char* kPairs = R"({"comm":"pair0","ranks":[0,1]}
{"comm":"pair1","ranks":[2,3]}
{"comm":"pair2","ranks":[4,5]})";

TEST(Turns, WhatIsExpectedOfARankIsACallInItsOwnGroup) {
  const Finding root = root_of(in_pairs_without_a_barrier(6, 2, "pair"), kPairs);
  EXPECT_THAT(root.culprits, ElementsAre(2));
  EXPECT_THAT(root.expected, HasSubstr("barrier on pair1, as ranks 0,1,3-5 did"));
}

TEST(Turns, NameNobodyAloneWhereAMemberOfTheCommunicatorsConcernedLeftNoRecord) {
  for (const std::string exchange_on : {"pair", "world"}) {
    auto ranks = in_pairs_without_a_barrier(6, 0, exchange_on);
    EXPECT_THAT(root_of(ranks, kPairs).culprits, ElementsAre(0)) << exchange_on;
    ranks[5] = "end(missing)";
    ranks[4] = "end(running)";
    const Finding root = root_of(ranks, kPairs);
    if (exchange_on == "world")
      EXPECT_THAT(root.culprits, ElementsAre(0, 1));
    else
      EXPECT_THAT(root.culprits, ElementsAre(0));
  }
}

}  // namespace
}  // namespace petri
