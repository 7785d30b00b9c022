// Equal collectives that meet from two call sites: one rank's slip, or a role that moves among the ranks.
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kWork = "allreduce(count=64 site=t:5); ";
constexpr const char* kLeader = "allreduce(count=1 site=t:10); ";
constexpr const char* kOther = "allreduce(count=1 site=t:20); ";

std::vector<std::string> rotating(int world, int steps, const std::string& before_each) {
  std::vector<std::string> ranks(static_cast<std::size_t>(world));
  for (int rank = 0; rank < world; ++rank)
    for (int step = 0; step < steps; ++step)
      ranks[static_cast<std::size_t>(rank)] += before_each + (step % world == rank ? kLeader : kOther);
  return ranks;
}

Diagnosis judged(const std::vector<std::string>& ranks) {
  return diagnose(script(ranks));
}

TEST(SwappedSites, ARoleThatMovesAmongRanksIsLegal) {
  for (const int world : {2, 3, 5})
    for (const int steps : {2, 3, 4, 7, 12})
      EXPECT_THAT(judged(rotating(world, steps, kWork)).findings, IsEmpty()) << world << " ranks, " << steps;
  for (const int world : {3, 5}) EXPECT_THAT(judged(rotating(world, 2 * world, "")).findings, IsEmpty()) << world;
  EXPECT_THAT(judged(rotating(2, 6, "")).findings, IsEmpty());
}

TEST(SwappedSites, ARoleThatHalvesOfTheRanksTakeInTurnIsLegal) {
  std::vector<std::string> ranks(4);
  for (std::size_t rank = 0; rank < 4; ++rank)
    for (std::size_t step = 0; step < 6; ++step) ranks[rank] += (step + rank) % 2 == 0 ? kLeader : kOther;
  EXPECT_THAT(judged(ranks).findings, IsEmpty());
}

std::vector<std::string> swapped(std::size_t world, std::size_t odd, int before, int after,
                                 const std::string& between) {
  const std::string usual = std::string(kWork) + kLeader + between + kOther;
  const std::string other = std::string(kWork) + kOther + between + kLeader;
  std::vector<std::string> ranks(world);
  for (std::size_t rank = 0; rank < world; ++rank) {
    for (int step = 0; step < before; ++step) ranks[rank] += usual;
    ranks[rank] += rank == odd ? other : usual;
    for (int step = 0; step < after; ++step) ranks[rank] += usual;
  }
  return ranks;
}

TEST(SwappedSites, ASlipIsTold) {
  for (const std::size_t world : {2u, 3u, 5u})
    for (const int history : {0, 1, 6})
      for (const char* between : {"", "barrier(site=t:15); "}) {
        if (world == 2 && history == 0 && *between != '\0') continue;  // looks like a leader that moves on
        const Diagnosis diagnosis = judged(swapped(world, 1, history, history, between));
        EXPECT_EQ(diagnosis.verdict, Verdict::mismatch) << world << " ranks, " << history << between;
        if (world > 2 && !diagnosis.findings.empty()) {
          EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(1));
        }
      }
}

TEST(SwappedSites, ASlipThatHappensAgainIsToldAmongManyThatDoNot) {
  std::vector<std::string> ranks = swapped(3, 1, 6, 0, "");
  const std::vector<std::string> again = swapped(3, 2, 0, 6, "");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank] += again[rank];
  std::vector<std::vector<std::int32_t>> culprits;
  for (const Finding& finding : judged(ranks).findings) culprits.push_back(finding.culprits);
  EXPECT_THAT(culprits, ElementsAre(ElementsAre(1), ElementsAre(2)));
}

// Rank `late` is still running, and the others wait for it.
Diagnosis stopped(std::vector<std::string> ranks, std::size_t late) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank] += rank == late ? "end(running)" : "allreduce(count=64 site=t:5 state=started); end(running)";
  return judged(ranks);
}

TEST(SwappedSites, ARankThatStopsIsNamedAndNotTheLeader) {
  for (const std::size_t world : {2u, 3u, 5u}) {
    const Diagnosis diagnosis = stopped(rotating(static_cast<int>(world), 12, kWork), world - 1);
    ASSERT_FALSE(diagnosis.findings.empty()) << world;
    EXPECT_NE(diagnosis.verdict, Verdict::mismatch) << world;
    EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(static_cast<std::int32_t>(world) - 1));
    EXPECT_THAT(diagnosis.findings, Not(Contains(Field(&Finding::kind, Verdict::mismatch)))) << world;
  }
}

TEST(SwappedSites, AHangIsToldBeforeASlip) {
  const Diagnosis diagnosis = stopped(swapped(3, 1, 4, 4, ""), 2);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(2));
  EXPECT_NE(diagnosis.verdict, Verdict::mismatch);
  EXPECT_THAT(diagnosis.findings, Contains(Field(&Finding::kind, Verdict::mismatch)));
}

}  // namespace
}  // namespace petri
