// Ranks that did not come: named by where everybody stands, also where records begin late, stop early or are missing.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kNccl = R"("backend":"nccl")";

const Finding& first(const Diagnosis& diagnosis) {
  return diagnosis.findings.at(0);
}

TEST(Absent, RankThatStoppedWithNothingPendingIsNamedThroughAChainOfWaits) {
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"comm":"tp","ranks":[0,1]}
    {"comm":"pp","ranks":[1,2]}
    {"comm":"dp","ranks":[2,3]}
    {"rank":0,"op":"allreduce","comm":"tp","count":4,"state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"recv","comm":"pp","peer":1,"state":"scheduled"}
    {"rank":1,"op":"allreduce","comm":"tp","count":4,"state":"scheduled"}
    {"rank":1,"end":"running"}
    {"rank":2,"op":"allreduce","comm":"dp","count":4,"state":"scheduled"}
    {"rank":2,"op":"send","comm":"pp","peer":0,"state":"scheduled"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"running"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(3));
  EXPECT_THAT(first(found).text, HasSubstr("Rank 3 stopped issuing calls and has nothing pending"));
}

TEST(Absent, RankWithoutARecordIsNamedWhereNobodyElseExplainsTheWait) {
  const std::string rest = R"(
    {"rank":1,"end":"missing"}
    {"rank":2,"op":"allreduce","count":4,"state":"started"}
    {"rank":2,"end":"running"})";
  const Diagnosis found = diagnose(test::scenario(3, R"(
    {"rank":0,"op":"allreduce","count":4,"state":"started"}
    {"rank":0,"end":"running"})" + rest,
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, ElementsAre(1));
  EXPECT_EQ(found.signature, "ambiguous: A(no record) B(allreduce@0 waits for A)");
  const Diagnosis other = diagnose(test::scenario(3, R"({"rank":0,"end":"running"})" + rest, kNccl));
  EXPECT_EQ(other.verdict, Verdict::skew);
  EXPECT_THAT(first(other).culprits, ElementsAre(0));
  EXPECT_THAT(first(other).evidence, Contains(HasSubstr("rank 1 left no record; the hang is explained without it")));
}

TEST(Absent, RankWithoutARecordIsNotNamedWhereNobodyWaits) {
  const Diagnosis found = diagnose(test::scenario(3, R"(
    {"rank":0,"op":"allreduce","count":4,"state":"completed"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"allreduce","count":4,"state":"completed"}
    {"rank":1,"end":"running"}
    {"rank":2,"end":"missing","joined":{"world":1}})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, ElementsAre());
}

TEST(Absent, TwoAreNamedWhereEachIsAwaitedByOthers) {
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"comm":"a","ranks":[0,1]}
    {"comm":"b","ranks":[2,3]}
    {"rank":0,"op":"barrier","comm":"a","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"end":"running"}
    {"rank":2,"op":"barrier","comm":"b","state":"started"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"missing"})",
                                                  kNccl));
  EXPECT_THAT(first(found).culprits, ElementsAre(1, 3));
}

TEST(Absent, RecordThatStopsEarlyIsNotBelievedInWhatItShowsAsEnqueued) {
  // Ranks 1 and 2 would wait for each other, if rank 1 were where its record ends.
  const Diagnosis found = diagnose(test::scenario(3, R"(
    {"comm":"g","ranks":[0,1,2]}
    {"comm":"p","ranks":[1,2]}
    {"rank":0,"end":"cut"}
    {"rank":1,"op":"allreduce","comm":"g","count":4,"state":"scheduled"}
    {"rank":1,"op":"send","comm":"p","peer":1,"state":"scheduled"}
    {"rank":1,"end":"cut"}
    {"rank":2,"op":"recv","comm":"p","peer":0,"state":"scheduled"}
    {"rank":2,"op":"allreduce","comm":"g","count":4,"state":"scheduled"}
    {"rank":2,"end":"running"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, ElementsAre(1));
}

TEST(Absent, FewWhoWaitForManyHaveTwoReadings) {
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"rank":0,"end":"running"}
    {"rank":1,"op":"allreduce","count":4,"state":"started","site":"train.py:9"}
    {"rank":1,"end":"running"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"running"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(1));
  EXPECT_THAT(first(found).text, HasSubstr("rank 1 made a call too many"));
  EXPECT_THAT(first(found).text, HasSubstr("ranks 0,2,3 stopped before it"));
}

TEST(Absent, ACallTooManyHasBothReadingsAlsoWhereARecordIsMissing) {
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"rank":0,"end":"missing"}
    {"rank":1,"op":"allreduce","count":4,"state":"started","site":"train.py:9"}
    {"rank":1,"end":"running"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"running"})",
                                                  kNccl));
  EXPECT_THAT(first(found).culprits, ElementsAre(1));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("rank 0 left no record")));
}

TEST(Absent, RankWithoutARecordIsNotNamedWhereAnotherThatIsAwaitedWithItIsLate) {
  // Rank 0 waits for rank 1, of which nothing is there, and for rank 2, which waits for rank 3.
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"comm":"ep","ranks":[0,1,2]}
    {"comm":"tp","ranks":[2,3]}
    {"rank":0,"op":"alltoall","comm":"ep","state":"scheduled"}
    {"rank":0,"end":"running"}
    {"rank":1,"end":"missing"}
    {"rank":2,"op":"allgather","comm":"tp","count":4,"state":"scheduled"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"running"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(3));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("the hang is explained without it")));
}

TEST(Absent, AnOlderRecordIsNamedBesideTheOneThatIsAwaited) {
  // Rank 1 may itself wait for rank 2, of which only an older record is there; rank 3 left none, either.
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"comm":"a","ranks":[0,1]}
    {"comm":"b","ranks":[1,2,3]}
    {"rank":0,"op":"barrier","comm":"a","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"end":"missing"}
    {"rank":2,"op":"barrier","comm":"b","state":"scheduled"}
    {"rank":2,"end":"cut"}
    {"rank":3,"end":"missing"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, ElementsAre(1, 2));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("rank 2 left a record that stops early")));
  EXPECT_THAT(first(found).evidence, Contains("rank 3 left no record; rank 1 may wait for it"));
}

// One rank waits in a collective of all; `others` are idle or without a record.
std::string one_waits(int idle, int missing) {
  std::string lines = R"(
    {"rank":0,"op":"allreduce","count":4,"state":"started","site":"train.py:9"}
    {"rank":0,"end":"running"})";
  for (int rank = 1; rank <= idle + missing; ++rank)
    lines += fmt::format("\n{{\"rank\":{},\"end\":\"{}\"}}", rank, rank <= idle ? "running" : "missing");
  return lines;
}

TEST(Absent, TwoReadingsAreAFailureOfTheirOwnAtAnySize) {
  const auto found = [](int idle, int missing) {
    return diagnose(test::scenario(1 + idle + missing, one_waits(idle, missing), kNccl));
  };
  // As few ranks as show both readings, and the same rank in front.
  EXPECT_EQ(found(2, 0).signature, found(7, 0).signature);
  EXPECT_EQ(found(2, 0).signature, found(6, 1).signature);
  EXPECT_THAT(first(found(2, 0)).culprits, ElementsAre(0));
  // One who waits for one says nothing of a call too many.
  EXPECT_NE(found(1, 0).signature, found(7, 0).signature);
  EXPECT_THAT(first(found(1, 0)).culprits, ElementsAre(1));
}

// Ranks 0 and 1 of `world` go through steps, of which each ends with a collective of all; then rank 0 makes `last`.
std::string after_steps(const std::string& last, int world = 4) {
  std::string lines;
  const auto add = [&](int rank, const std::string& call, const std::string& state) {
    lines += fmt::format(R"({{"rank":{},"op":{},"state":"{}"}})"
                         "\n",
                         rank, call, state);
  };
  for (const int rank : {0, 1}) {
    for (int step = 0; step < 4; ++step) {
      add(rank, R"("allgather","count":8)", "completed");
      add(rank, R"("allreduce","count":1)", "completed");
    }
    if (rank == 0) add(rank, last, "started");
  }
  for (int rank = 0; rank < world; ++rank)
    lines += fmt::format(R"({{"rank":{},"end":"{}"}})"
                         "\n",
                         rank, rank < 2 ? "running" : "missing");
  return lines;
}

TEST(Absent, WhatFollowsElsewhereTellsOfACallTooMany) {
  const Diagnosis usual = diagnose(test::scenario(4, after_steps(R"("allgather","count":8)"), kNccl));
  EXPECT_THAT(first(usual).culprits, ElementsAre(1));
  EXPECT_THAT(first(usual).text, HasSubstr("Rank 1 stopped issuing calls"));
  const Diagnosis unheard = diagnose(test::scenario(4, after_steps(R"("allreduce","count":1)"), kNccl));
  EXPECT_THAT(first(unheard).culprits, ElementsAre(0, 1));
  EXPECT_THAT(first(unheard).text, HasSubstr("Two readings: rank 0 made a call too many"));
  EXPECT_THAT(first(unheard).evidence, Contains(HasSubstr("or a longer record, or that of ranks 2,3")));
  EXPECT_NE(unheard.signature, diagnose(test::scenario(3, one_waits(2, 0), kNccl)).signature);
}

// Of two ranks, one waits in a call of both behind the end of a step.
TEST(Absent, OneAgainstOneHasBothReadingsWhereNoSuchCallEverComesThere) {
  const auto with_last = [](const std::string& last) {
    return diagnose(test::scenario(2, after_steps(last, 2), kNccl));
  };
  const Diagnosis again = with_last(R"("allreduce","count":1)");
  EXPECT_EQ(again.verdict, Verdict::skew);
  EXPECT_THAT(first(again).culprits, ElementsAre(0, 1));
  EXPECT_THAT(first(again).text, HasSubstr("Two readings: rank 0 made a call too many"));
  EXPECT_THAT(first(again).evidence, Contains(testing::EndsWith("(a stack dump), or a longer record")));
  // The next step's call is usual there: its partner stopped.
  const Diagnosis usual = with_last(R"("allgather","count":8)");
  EXPECT_THAT(first(usual).culprits, ElementsAre(1));
  EXPECT_THAT(first(usual).text, HasSubstr("Rank 1 stopped issuing calls"));
}

TEST(Absent, WhoeverHasNothingPendingHasStoppedTooWhereItsPartnersLeftNoRecord) {
  const std::string rest = R"(
    {"comm":"a","ranks":[0,1]}
    {"comm":"b","ranks":[2,3]}
    {"rank":0,"op":"barrier","comm":"a","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"end":"running"}
    {"rank":3,"end":"running"})";
  const Diagnosis found = diagnose(test::scenario(4, rest + R"(
    {"rank":2,"end":"missing"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(1, 3));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("rank 3 is awaited by nobody whose place is recorded")));
  // Where all places are recorded, it may be behind all its calls.
  const Diagnosis whole = diagnose(test::scenario(4, rest + R"(
    {"rank":2,"op":"barrier","comm":"b","state":"completed"}
    {"rank":2,"end":"running"})",
                                                  kNccl));
  EXPECT_THAT(first(whole).culprits, ElementsAre(1));
}

TEST(Absent, WhereTheRingsLostWhereOthersWaitTheIdleAreNamedWithDoubt) {
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"rank":0,"op":"send","peer":1,"state":"scheduled"}
    {"rank":0,"op":"allreduce","count":4,"coll_seq":9,"state":"scheduled"}
    {"rank":0,"end":"running","dropped":50}
    {"rank":1,"end":"running","dropped":40,"joined":{"world":7}}
    {"rank":2,"op":"allreduce","count":4,"state":"scheduled"}
    {"rank":2,"end":"running","dropped":50}
    {"rank":3,"op":"allreduce","count":4,"state":"scheduled"}
    {"rank":3,"end":"running","dropped":50})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, ElementsAre(1));
  EXPECT_THAT(first(found).text, HasSubstr("ranks 0,2,3 wait, and the rings lost where"));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("what would decide: a larger ring buffer")));
}

TEST(Absent, RankWithoutARecordThatMayWaitForThoseWhoStoppedIsNotNamed) {
  // Rank 0 waits for rank 1, of which nothing is there; but it may stand where rank 2 waits for rank 3.
  const Diagnosis found = diagnose(test::scenario(4, R"(
    {"comm":"pp","ranks":[0,1]}
    {"comm":"ep","ranks":[1,2,3]}
    {"rank":0,"op":"send","comm":"pp","peer":1,"state":"scheduled"}
    {"rank":0,"end":"running"}
    {"rank":1,"end":"missing"}
    {"rank":2,"op":"alltoall","comm":"ep","state":"scheduled"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"running"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(3));
}

// Two groups of a kind, of which ranks 1 and 3 have stopped; rank 0 left no record.
std::string chained(const std::string& label, const std::string& of_rank_1) {
  return R"({"comm":"tp0","ranks":[0,1])" + label + R"(}
    {"comm":"tp1","ranks":[2,3])" +
         label + R"(}
    {"comm":"pp","ranks":[0,4]}
    {"comm":"ep","ranks":[1,5]}
    {"rank":0,"end":"missing"})" +
         of_rank_1 + R"(
    {"rank":1,"end":"running"}
    {"rank":2,"op":"allgather","comm":"tp1","count":8,"state":"scheduled"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"running"}
    {"rank":4,"op":"recv","comm":"pp","peer":0,"state":"scheduled"}
    {"rank":4,"end":"running"}
    {"rank":5,"op":"recv","comm":"ep","peer":0,"state":"scheduled"}
    {"rank":5,"end":"running"})";
}

constexpr const char* kLabel = R"(,"label":"TENSOR")";

TEST(Absent, RankWithoutARecordThatMayWaitWhereItsKindDoesIsNotNamed) {
  const Diagnosis found = diagnose(test::scenario(6, chained(kLabel, ""), kNccl));
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(1, 3));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("rank 0 may wait for rank 1: in another group of the kind rank "
                                                        "2 came to allgather")));
  // Groups of no kind tell nothing of each other.
  EXPECT_THAT(first(diagnose(test::scenario(6, chained("", ""), kNccl))).culprits, ElementsAre(0, 1, 3));
}

TEST(Absent, RankWithoutARecordThatMayWaitForAMessageAsItsKindDoesIsNotNamed) {
  const Diagnosis found = diagnose(test::scenario(6, R"(
    {"comm":"pp0","ranks":[0,1],"label":"PIPELINE"}
    {"comm":"pp1","ranks":[2,3],"label":"PIPELINE"}
    {"comm":"ep","ranks":[0,4]}
    {"comm":"dp","ranks":[1,5]}
    {"rank":0,"end":"missing"}
    {"rank":1,"end":"running"}
    {"rank":2,"op":"send","comm":"pp1","peer":1,"state":"scheduled"}
    {"rank":2,"end":"running"}
    {"rank":3,"end":"running"}
    {"rank":4,"op":"recv","comm":"ep","peer":0,"state":"scheduled"}
    {"rank":4,"end":"running"}
    {"rank":5,"op":"recv","comm":"dp","peer":0,"state":"scheduled"}
    {"rank":5,"end":"running"})",
                                                  kNccl));
  EXPECT_THAT(first(found).culprits, ElementsAre(1, 3));
}

// Three groups of a kind; rank 3 leaves out its second call there, and rank 2, of which nothing is known, may wait for
// it.
TEST(Absent, RankThatLeftOutACallIsNamedWhereItsPartnerLeftNoRecord) {
  std::string lines;
  for (int group = 0; group < 3; ++group)
    lines += fmt::format(R"({{"comm":"tp{0}","ranks":[{1},{2}],"label":"TENSOR"}})"
                         "\n",
                         group, 2 * group, 2 * group + 1);
  lines += R"({"rank":2,"end":"missing"})";
  for (const int rank : {0, 1, 3, 4, 5})
    for (int step = 0; step < 2; ++step) {
      const std::string state = step == 0 ? "completed" : "scheduled";
      if (rank != 3 || step == 0)
        lines += fmt::format(R"({{"rank":{},"op":"allreduce","comm":"tp{}","count":8,"state":"completed"}})", rank,
                             rank / 2);
      lines += fmt::format(R"({{"rank":{},"op":"allreduce","count":1,"state":"{}"}})", rank, state);
    }
  for (const int rank : {0, 1, 3, 4, 5}) lines += fmt::format(R"({{"rank":{},"end":"running"}})", rank);
  for (std::size_t at = lines.find("}{"); at != std::string::npos; at = lines.find("}{", at))
    lines.insert(at + 1, "\n");
  const Diagnosis found = diagnose(test::scenario(6, lines, kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, ElementsAre(3));
  EXPECT_THAT(first(found).text, HasSubstr("without the 2nd collective on tp1"));
  EXPECT_THAT(first(found).evidence, Contains(HasSubstr("what would decide: the record of rank 2")));
}

// The same of outstanding calls alone, where nobody knows how many calls there were at an earlier meeting.
TEST(Absent, RankThatLeftOutACallIsNamedByTheCountsOfSeveralOtherGroups) {
  const auto found = [](int groups, int calls_of_last) {
    std::string lines;
    for (int group = 0; group < groups; ++group)
      lines += fmt::format(R"({{"comm":"tp{0}","ranks":[{1},{2}],"label":"TENSOR"}})"
                           "\n",
                           group, 2 * group, 2 * group + 1);
    lines += "{\"rank\":2,\"end\":\"missing\"}";
    for (int rank = 0; rank < 2 * groups; ++rank) {
      if (rank == 2) continue;
      const int calls = rank == 3 ? 7 : rank / 2 + 1 == groups ? calls_of_last : 8;
      lines += fmt::format(R"({{"rank":{},"op":"allreduce","count":1,"state":"scheduled"}})", rank);
      lines += fmt::format(R"({{"rank":{},"end":"running","dropped":50,"joined":{{"tp{}":{},"world":4}}}})", rank,
                           rank / 2, calls);
    }
    for (std::size_t at = lines.find("}{"); at != std::string::npos; at = lines.find("}{", at))
      lines.insert(at + 1, "\n");
    return first(diagnose(test::scenario(2 * groups, lines, kNccl))).culprits;
  };
  EXPECT_THAT(found(3, 8), ElementsAre(3));
  // Groups of one kind may make different numbers of calls, as the stages of a pipeline do.
  EXPECT_THAT(found(3, 9), ElementsAre(2));
  EXPECT_THAT(found(2, 8), ElementsAre(2));
}

TEST(Absent, RankWithoutARecordIsNamedWhereItsGroupHasCome) {
  const std::string came = R"(
    {"rank":1,"op":"allgather","comm":"tp0","count":8,"state":"completed"})";
  EXPECT_THAT(first(diagnose(test::scenario(6, chained(kLabel, came), kNccl))).culprits, ElementsAre(0, 1, 3));
}

TEST(Absent, NobodyIsNamedWhereAllHaveCome) {
  const Diagnosis found = diagnose(test::scenario(2, R"(
    {"rank":0,"op":"allreduce","count":4,"state":"scheduled"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"allreduce","count":4,"state":"scheduled"}
    {"rank":1,"end":"running"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, IsEmpty());
  EXPECT_EQ(found.signature, "ambiguous: schedules agree");
}

TEST(Absent, RecordsThatBeginAtOtherPlacesStandWhereTheyBelong) {
  // Rank 1's ring kept one call less: without its place it would seem to be one behind.
  const Diagnosis found = diagnose(test::scenario(3, R"(
    {"rank":0,"op":"allreduce","count":4,"state":"completed"}
    {"rank":0,"op":"allreduce","count":8,"state":"started"}
    {"rank":0,"end":"running","dropped":6,"joined":{"world":6}}
    {"rank":1,"op":"allreduce","count":8,"state":"started"}
    {"rank":1,"end":"running","dropped":7,"joined":{"world":7}}
    {"rank":2,"end":"running","dropped":7,"joined":{"world":7}})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::skew);
  EXPECT_THAT(first(found).culprits, ElementsAre(2));
}

TEST(Absent, NobodyIsAwaitedInAnInitWhoseMembersNobodyTells) {
  const Diagnosis found = diagnose(test::scenario(3, R"(
    {"rank":0,"op":"comm_init_rank","new":"p","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"comm_init_rank","new":"p","state":"started"}
    {"rank":1,"end":"running"}
    {"rank":2,"end":"running"})",
                                                  kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).culprits, IsEmpty());
}

TEST(Absent, CallsThatWereSeenToEndProveNoOrderWhereStreamsAreNotKnown) {
  // Each group has its own stream, so both orders went well; of MPI's calls the same is luck.
  const std::string lines = R"(
    {"comm":"a","ranks":[0,1]}
    {"comm":"b","ranks":[0,1]}
    {"rank":0,"op":"allreduce","comm":"a","count":4,"state":"completed"}
    {"rank":0,"op":"allreduce","comm":"b","count":4,"state":"completed"}
    {"rank":1,"op":"allreduce","comm":"b","count":4,"state":"completed"}
    {"rank":1,"op":"allreduce","comm":"a","count":4,"state":"completed"})";
  EXPECT_EQ(diagnose(test::scenario(2, lines, kNccl)).verdict, Verdict::completes);
  EXPECT_EQ(diagnose(test::scenario(2, lines)).verdict, Verdict::deadlock);
}

// Calls in flight of which a record does not say whom they wait for, as those of OTF2 archives that break off.
TEST(Unsettled, CallsOfUnknownCommunicatorsOrPeersAreNoSoundSchedule) {
  const std::string end = R"(
    {"rank":0,"end":"running"}
    {"rank":1,"end":"running"})";
  const Diagnosis peer = diagnose(test::scenario(2, R"({"rank":0,"op":"send","state":"started"})" + end));
  EXPECT_EQ(peer.verdict, Verdict::ambiguous);
  EXPECT_EQ(first(peer).text,
            "Rank 0 did not return from send, and its peer is not recorded: whether the schedule blocks it "
            "cannot be known.");
  Scenario unknown = test::scenario(2, R"({"comm":"c","ranks":[0,1]}
    {"rank":0,"op":"allreduce","comm":"c","state":"started"}
    {"rank":1,"op":"recv","state":"started"})" +
                                           end);
  unknown.comms[1].known = false;
  unknown.comms[1].ranks.clear();
  const Diagnosis comm = diagnose(unknown);
  EXPECT_EQ(comm.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(comm).text, testing::Not(HasSubstr("not a fault of the schedule")));
  EXPECT_EQ(first(comm).events.size(), 2u);
}

TEST(Unsettled, OrdersThatAgreeAreNoFaultOfTheSchedule) {
  const Diagnosis found = diagnose(test::scenario(2, R"(
    {"rank":0,"op":"barrier","state":"started"}
    {"rank":1,"op":"barrier","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"end":"running"})"));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(first(found).text, HasSubstr("not a fault of the schedule"));
}

}  // namespace
}  // namespace petri
