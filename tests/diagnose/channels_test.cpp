// All ranks but one stand in the first collective of a job, which nobody has a history to be held against in: the
// messages that the pairs exchanged tell.
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

constexpr int kWorld = 12;

using Exchange = std::string (*)(int rank);

std::string gathers(int rank) {
  std::string calls;
  for (int peer = 1; rank == 0 && peer < kWorld; ++peer) calls += fmt::format("recv(peer={} count=8); ", peer);
  return rank == 0 ? calls : "send(peer=0 count=8); ";
}
std::string gathers_from_any(int rank) {
  std::string calls;
  for (int peer = 1; rank == 0 && peer < kWorld; ++peer) calls += "recv(peer=any count=8); ";
  return rank == 0 ? calls : "send(peer=0 count=8); ";
}
std::string along_a_chain(int rank) {
  return (rank > 0 ? fmt::format("recv(peer={} count=8); ", rank - 1) : "") +
         (rank + 1 < kWorld ? fmt::format("send(peer={} count=8); ", rank + 1) : "");
}
std::string around_a_ring(int rank) {
  const std::string send = fmt::format("send(peer={} count=8); ", (rank + 1) % kWorld);
  const std::string recv = fmt::format("recv(peer={} count=8); ", (rank + kWorld - 1) % kWorld);
  return rank == 0 ? send + recv : recv + send;
}
std::string with_each_bit(int rank) {
  std::string calls;
  for (int bit = 1; bit < kWorld; bit *= 2)
    if ((rank ^ bit) < kWorld) calls += fmt::format("sendrecv(sendpeer={0} recvpeer={0} count=8); ", rank ^ bit);
  return calls;
}

std::vector<std::int32_t> culprits_of(const std::vector<std::string>& ranks) {
  const Diagnosis diagnosis = diagnose(script(ranks));
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
  return diagnosis.findings.empty() ? std::vector<std::int32_t>{} : diagnosis.findings.front().culprits;
}

std::vector<std::string> job(Exchange exchange, int culprit, const std::string& instead) {
  std::vector<std::string> ranks;
  for (int rank = 0; rank < kWorld; ++rank)
    ranks.push_back((rank == culprit ? instead : exchange(rank)) + "allreduce(count=1); barrier");
  return ranks;
}

TEST(Channels, WhoAloneIsMissingInTheFirstCollectiveMadeItsExchangeTwice) {
  for (const Exchange exchange : {gathers, gathers_from_any, along_a_chain, around_a_ring, with_each_bit})
    for (int culprit = 0; culprit < kWorld; ++culprit)
      EXPECT_THAT(culprits_of(job(exchange, culprit, exchange(culprit) + exchange(culprit))), ElementsAre(culprit))
          << exchange(1);
}

TEST(Channels, OfAnySourceTheOneThatSentLessLeftItsMessageOut) {
  for (int culprit = 1; culprit < kWorld; ++culprit)
    EXPECT_THAT(culprits_of(job(gathers_from_any, culprit, "")), ElementsAre(culprit));
}

TEST(Channels, WhereOnePairExchangesSomethingOfItsOwnBothAreNamed) {
  auto ranks = job(gathers, 0, "recv(peer=1 tag=9); " + gathers(0));
  ranks[1] = gathers(1) + "allreduce(count=1); barrier";
  EXPECT_THAT(culprits_of(ranks), Contains(0));
  std::vector<std::string> alone(kWorld, "allreduce(count=1); barrier");
  alone[0] = "recv(peer=1 tag=9); allreduce(count=1); barrier";
  EXPECT_THAT(culprits_of(alone), ElementsAre(0, 1));
}

TEST(Channels, PairsThatExchangeDifferentNumbersTellNothing) {
  // Rank 0 sends two messages to rank 2 and one to each other rank; whether rank 1 is to have two is not to be seen.
  const std::string receive = "recv(peer=0 count=8); ", end = "allreduce(count=1)";
  std::vector<std::string> ranks(kWorld, receive + end);
  ranks[2] = receive + receive + end;
  ranks[0] = "send(peer=2 count=8); ";
  for (int peer = kWorld - 1; peer > 0; --peer) ranks[0] += fmt::format("send(peer={0} count=8); ", peer);
  ranks[0] += "send(peer=1 count=8); " + end;
  EXPECT_THAT(culprits_of(ranks), ElementsAre(0, 1));
}

}  // namespace
}  // namespace petri
