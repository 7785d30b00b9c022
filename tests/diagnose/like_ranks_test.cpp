// Ranks of a deadlock without a history: the one that parted from the ranks that play the same part began it.
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
using testing::Not;

// Senders 0, 2, 4, receivers 1, 3, 5.
constexpr const char* kPairs =
    "{\"comm\":\"a\",\"ranks\":[0,1]}\n{\"comm\":\"b\",\"ranks\":[2,3]}\n{\"comm\":\"c\",\"ranks\":[4,5]}";
const std::vector<std::string> kNames{"a", "b", "c"};

std::string send(const std::string& comm, int tag) {
  return "send(comm=" + comm + " peer=1 tag=" + std::to_string(tag) + " count=4); ";
}
std::string recv(const std::string& comm, int tag) {
  return "recv(comm=" + comm + " peer=0 tag=" + std::to_string(tag) + " count=4); ";
}

std::vector<std::string> pairs() {
  std::vector<std::string> ranks;
  for (const std::string& comm : kNames) {
    ranks.push_back(send(comm, 1) + send(comm, 2) + "barrier");
    ranks.push_back(recv(comm, 1) + recv(comm, 2) + "barrier");
  }
  return ranks;
}

Finding root_of(const std::vector<std::string>& ranks, const std::string& comms = kPairs) {
  const Diagnosis diagnosis = diagnose(script(ranks, comms));
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
  return diagnosis.findings.empty() ? Finding{} : diagnosis.findings.front();
}

TEST(LikeRanks, MessageLeftOutIsTheSendersFault) {
  auto ranks = pairs();
  ranks[2] = send("b", 1) + "barrier";
  const Finding root = root_of(ranks);
  EXPECT_THAT(root.culprits, ElementsAre(2));
  EXPECT_THAT(root.text, HasSubstr("Rank 2 did as ranks 0,4 until"));
  EXPECT_THAT(root.expected, HasSubstr("send"));
}

TEST(LikeRanks, ReceiveTooManyIsTheReceiversFault) {
  auto ranks = pairs();
  ranks[3] = recv("b", 1) + recv("b", 1) + recv("b", 2) + "barrier";
  EXPECT_THAT(root_of(ranks).culprits, ElementsAre(3));
}

TEST(LikeRanks, WrongTagIsTheFaultOfWhoGaveIt) {
  auto ranks = pairs();
  ranks[4] = send("c", 1) + send("c", 7) + "barrier";
  EXPECT_THAT(root_of(ranks).culprits, ElementsAre(4));
  ranks = pairs();
  ranks[5] = recv("c", 1) + recv("c", 7) + "barrier";
  EXPECT_THAT(root_of(ranks).culprits, ElementsAre(5));
}

TEST(LikeRanks, CollectiveOfAPairLeftOut) {
  std::vector<std::string> ranks;
  for (const std::string& comm : kNames)
    for (int side = 0; side < 2; ++side)
      ranks.push_back("allreduce(comm=" + comm + " count=8); allgather(comm=" + comm + " count=2); barrier");
  ranks[3] = "allgather(comm=b count=2); barrier";
  EXPECT_THAT(root_of(ranks).culprits, ElementsAre(3));
}

// Two ranks have nobody like them in all that they do; but of their sums there are three groups.
TEST(LikeRanks, WhatOtherGroupsOfTheKindDoDecidesBetweenTwo) {
  const auto sums = [](const std::string& comm) {
    return "allreduce(comm=" + comm + " count=8); allreduce(comm=" + comm + " count=8); allreduce(comm=" + comm +
           " count=1); ";
  };
  std::vector<std::string> ranks;
  for (const std::string& comm : kNames)
    for (int side = 0; side < 2; ++side) ranks.push_back(sums(comm) + "barrier");
  ranks[0] = "sendrecv(peer=1 count=1); " + ranks[0];
  ranks[1] = "sendrecv(peer=0 count=1); allreduce(comm=a count=8); allreduce(comm=a count=1); barrier";
  EXPECT_THAT(root_of(ranks).culprits, ElementsAre(1));
}

TEST(LikeRanks, OneAgainstOneNamesBoth) {
  const Finding root = root_of({"send(peer=1 tag=1); barrier", "recv(peer=0 tag=2); barrier"}, "");
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
}

TEST(LikeRanks, CallThatOneOfTwoMakesNamesBothAndSaysSo) {
  const Finding root = root_of({"barrier; barrier", "barrier"}, "");
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
  EXPECT_THAT(root.text, HasSubstr("Rank 0 made a call"));
  EXPECT_THAT(root.evidence, Contains(HasSubstr("as possible that rank 1 left the call out")));
}

TEST(LikeRanks, RankOfAPartOfItsOwnIsNotHeldAgainstOthers) {
  const Finding root = root_of({"recv(peer=1); recv(peer=2); recv(peer=1); recv(peer=2); barrier",
                                "send(peer=0); barrier", "send(peer=0); barrier"},
                               "");
  EXPECT_THAT(root.text, Not(HasSubstr("Rank 0 did as")));
}

// Rank 2 sends once more than the others of its part, and all come together behind it: that was no fault.
TEST(LikeRanks, WhatAllHaveMetAfterBeganNothing) {
  const std::string comms =
      "{\"comm\":\"p\",\"ranks\":[0,1]}\n{\"comm\":\"q\",\"ranks\":[1,2]}\n{\"comm\":\"r\",\"ranks\":[0,2]}";
  const std::string ask = "sendrecv(peer=3 count=1); ";
  const Finding root = root_of(
      {ask + "barrier; allreduce(comm=p); allreduce(comm=r)", ask + "barrier; allreduce(comm=q); allreduce(comm=p)",
       ask + ask + "barrier; allreduce(comm=r); allreduce(comm=q)",
       "sendrecv(peer=0 count=1); sendrecv(peer=1 count=1); sendrecv(peer=2 count=1); "
       "sendrecv(peer=2 count=1); barrier"},
      comms);
  EXPECT_THAT(root.culprits, ElementsAre(0, 1, 2));
}

// A loop that ends earlier is no fault, though nothing like what follows it is to be found.
TEST(LikeRanks, LoopThatEndsHasNoPrecedentAndNeedsNone) {
  std::string once = "sendrecv(peer=2 count=1); ", served = "sendrecv(peer=0 count=1); ";
  const Finding root = root_of({once + once + once + "send(peer=1 tag=1 count=9); recv(peer=1 tag=2 count=9)",
                                once + once + "send(peer=0 tag=2 count=9); recv(peer=0 tag=1 count=9)",
                                served + "sendrecv(peer=1 count=1); " + served + "sendrecv(peer=1 count=1); " + served},
                               "");
  EXPECT_THAT(root.culprits, ElementsAre(0, 1));
}

// The edge of a grid is another part, and so is who is in no such communicator.
TEST(LikeRanks, WhoCouldNotMakeTheCallIsNoJudge) {
  const std::string comms = "{\"comm\":\"l\",\"ranks\":[0,1]}";
  const Finding root = root_of({"barrier(comm=l); barrier", "barrier; barrier(comm=l)", "barrier", "barrier"}, comms);
  EXPECT_THAT(root.text, Not(HasSubstr("did as")));
}

}  // namespace
}  // namespace petri
