// Accesses of a window's memory that conflict: what orders them, and which go together.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "harness/diagnose/conflicts.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kWin = "win_allocate(win=w); ";
const std::string kFence = "win_fence(win=w); ";
const std::string kFree = "win_free(win=w)";
const std::string kShared = "win_lock(win=w target=0 lock=shared); ";
const std::string kExclusive = "win_lock(win=w target=0 lock=exclusive); ";
const std::string kUnlock = "win_unlock(win=w target=0); ";
const std::string kFlush = "win_flush(win=w target=0); ";

// A call on the integers [first, first + count) of rank 0.
std::string access(const std::string& op, int first, int count, const std::string& more = "") {
  return fmt::format("{}(win=w target=0 disp={} count={} dtype=int32{}{}); ", op, 4 * first, count,
                     more.empty() ? "" : " ", more);
}
std::string sum(int first, int count) {
  return access("accumulate", first, count, "reduce=sum");
}

// Rank 0 exposes its memory and stands by; the others do this inside window and free.
Scenario between_ranks(const std::string& zero, const std::string& one, const std::string& two) {
  return script({kWin + zero + kFree, kWin + one + kFree, kWin + two + kFree});
}
Scenario fenced(const std::string& one, const std::string& two) {
  return between_ranks(kFence + kFence, kFence + one + kFence, kFence + two + kFence);
}

void expect_conflict(const Scenario& scenario, const std::vector<std::int32_t>& culprits) {
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(diagnosis.verdict, Verdict::misuse);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().culprits, culprits) << diagnosis.findings.front().text;
  EXPECT_THAT(diagnosis.findings.front().text, HasSubstr("nothing orders them"));
}

void expect_legal(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  EXPECT_EQ(diagnosis.verdict, Verdict::completes)
      << (diagnosis.findings.empty() ? "" : diagnosis.findings.front().text);
}

TEST(Conflicts, AreBytesThatOverlap) {
  const Diagnosis wrong = diagnose(fenced(access("put", 0, 4), access("put", 3, 4)));
  EXPECT_EQ(wrong.verdict, Verdict::misuse);
  EXPECT_THAT(wrong.findings.front().culprits, ElementsAre(1, 2));
  EXPECT_THAT(wrong.findings.front().events, ElementsAre(EventRef{1, 2}, EventRef{2, 2}));
  EXPECT_THAT(wrong.findings.front().evidence, testing::Contains("both touch bytes 12 to 15"));
  EXPECT_EQ(wrong.signature, "misuse: put@0 meets another's put");
  expect_legal(fenced(access("put", 0, 4), access("put", 4, 4)));
}

TEST(Conflicts, DependOnWhatTheAccessesDo) {
  expect_conflict(fenced(access("put", 0, 1), access("get", 0, 1)), {1, 2});
  expect_conflict(fenced(access("get", 0, 1), sum(0, 1)), {1, 2});
  expect_conflict(fenced(access("put", 0, 1), sum(0, 1)), {1, 2});
  expect_conflict(fenced(sum(0, 1), access("accumulate", 0, 1, "reduce=prod")), {1, 2});
  expect_legal(fenced(access("get", 0, 1), access("get", 0, 1)));
  expect_legal(fenced(sum(0, 1), sum(0, 1)));
  expect_legal(fenced(sum(0, 1), access("get_accumulate", 0, 1, "reduce=no_op")));
  expect_legal(fenced(sum(0, 1), access("fetch_and_op", 0, 1, "reduce=sum")));
}

TEST(Conflicts, OfOneRankAreOrderedByAFlushOnly) {
  expect_conflict(fenced(access("put", 0, 2) + access("get", 1, 1), ""), {1});
  expect_legal(fenced(sum(0, 1) + access("accumulate", 0, 1, "reduce=prod"), ""));
  const auto locked = [](const std::string& calls) { return between_ranks("", kShared + calls + kUnlock, ""); };
  expect_conflict(locked(access("put", 0, 1) + access("put", 0, 1)), {1});
  expect_conflict(locked(access("put", 0, 1) + "win_flush_local(win=w target=0); " + access("put", 0, 1)), {1});
  expect_legal(locked(access("put", 0, 1) + kFlush + access("put", 0, 1)));
  expect_legal(locked(access("get", 0, 1) + "win_flush_local(win=w target=0); " + access("put", 0, 1)));
  expect_legal(locked(access("rget", 0, 1, "request=1") + "wait(request=1); " + access("put", 0, 1)));
  expect_conflict(locked(access("rput", 0, 1, "request=1") + "wait(request=1); " + access("put", 0, 1)), {1});
}

TEST(Conflicts, EndWithTheEpoch) {
  const std::string put = access("put", 0, 1);
  expect_legal(between_ranks(kFence + kFence + kFence, kFence + put + kFence + kFence, kFence + kFence + put + kFence));
  const std::string start = "win_start(win=w ranks=[0]); ", complete = "win_complete(win=w); ";
  expect_conflict(
      between_ranks("win_post(win=w ranks=[1,2]); win_wait(win=w); ", start + put + complete, start + put + complete),
      {1, 2});
  expect_legal(between_ranks("win_post(win=w ranks=[1]); win_wait(win=w); win_post(win=w ranks=[2]); win_wait(win=w); ",
                             start + put + complete, start + put + complete));
}

TEST(Conflicts, UnderLocksEndWithWhatTheOtherHears) {
  const std::string put = access("put", 0, 1);
  const std::string locked = kShared + put + kUnlock;
  const std::string tell = "send(peer=2 count=0); ", hear = "recv(peer=1 count=0); ";
  expect_conflict(between_ranks("", locked, locked), {1, 2});
  expect_legal(between_ranks("", kExclusive + put + kUnlock, kExclusive + put + kUnlock));
  expect_legal(between_ranks("barrier; ", locked + "barrier; ", "barrier; " + locked));
  expect_legal(between_ranks("", locked + tell, hear + locked));
  expect_legal(between_ranks("", kShared + put + kFlush + tell + kUnlock, hear + locked));
  expect_conflict(between_ranks("", kShared + put + tell + kUnlock, hear + locked), {1, 2});
  expect_conflict(between_ranks("", tell + locked, hear + locked), {1, 2});
  // A nonblocking receive has not heard anything before its wait.
  expect_legal(between_ranks("", locked + tell, "irecv(peer=1 count=0 request=1); wait(request=1); " + locked));
  expect_conflict(between_ranks("", locked + tell, "irecv(peer=1 count=0 request=1); " + locked + "wait(request=1); "),
                  {1, 2});
}

// Locks of the program's own making: what a rank read may have told it that the other one is done.
TEST(Conflicts, AreNotLookedForWhereMemoryMayOrderThem) {
  const std::string swap = "compare_and_swap(win=w target=0 disp=64 dtype=int32); " + kFlush;
  const std::string guarded =
      "win_lock_all(win=w); " + swap + access("put", 0, 1) + kFlush + swap + "win_unlock_all(win=w); ";
  expect_legal(between_ranks("", guarded, guarded));
  // The same, by an ordinary window whose owner polls its memory and passes on what it saw.
  const std::string locked = kShared + access("put", 0, 1) + kUnlock;
  expect_legal(between_ranks("send(peer=2 count=0); ", locked, "recv(peer=0 count=0); " + locked));
  // Or by an exclusive lock on something else.
  const std::string other = "win_lock(win=w target=1 lock=exclusive); ", unlock = "win_unlock(win=w target=1); ";
  expect_legal(between_ranks("", other + locked + unlock, other + locked + unlock));
}

TEST(Conflicts, AreNotLookedForWhereSomethingIsUnknown) {
  const std::string put = access("put", 0, 1);
  expect_legal(fenced("put(win=w target=0 count=1 dtype=int32); ", put));
  expect_legal(fenced("put(win=w target=0 disp=0 count=1); ", put));
  expect_legal(fenced("put(win=w target=0 disp=0 count=0 dtype=int32); ", put));
  const std::string locked = kShared + put + kUnlock;
  EXPECT_EQ(diagnose(script({kWin, kWin + locked, kWin + locked, kWin + "end(cut)"})).verdict, Verdict::ambiguous);
}

// All pairs, by hand: in one fence epoch nothing is ordered.
bool has_conflict(const Scenario& scenario) {
  std::vector<const Event*> all;
  std::vector<std::size_t> origins;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank)
    for (const Event& event : scenario.ranks[rank].events)
      if (kind_of(event.op) == OpKind::rma) all.push_back(&event), origins.push_back(rank);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Event &one = *all[i], &other = *all[j];
      const bool apart = *one.extras.disp() + 4 * one.count <= *other.extras.disp() ||
                         *other.extras.disp() + 4 * other.count <= *one.extras.disp();
      const bool both_get = one.op == Op::get && other.op == Op::get;
      const bool both_add = one.op == Op::accumulate && other.op == Op::accumulate &&
                            (one.reduce == other.reduce || origins[i] == origins[j]);
      if (!apart && !both_get && !both_add) return true;
    }
  return false;
}

TEST(Conflicts, AgreeWithAllPairsOnRandomEpochs) {
  std::mt19937 random(1);
  const auto below = [&](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); };
  int conflicts = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> calls(3);
    for (std::string& one : calls) {
      for (int left = below(4); left > 0; --left) {
        const int first = below(40), count = 1 + below(6);
        const int op = below(4);
        one += op == 0   ? access("put", first, count)
               : op == 1 ? access("get", first, count)
                         : access("accumulate", first, count, op == 2 ? "reduce=sum" : "reduce=max");
      }
    }
    const Scenario scenario =
        between_ranks(kFence + calls[0] + kFence, kFence + calls[1] + kFence, kFence + calls[2] + kFence);
    const bool expected = has_conflict(scenario);
    conflicts += expected ? 1 : 0;
    EXPECT_EQ(diagnose(scenario).verdict, expected ? Verdict::misuse : Verdict::completes) << calls[0] << "\n"
                                                                                           << calls[1] << "\n"
                                                                                           << calls[2];
  }
  EXPECT_GT(conflicts, 500);
  EXPECT_LT(conflicts, 1500);
}

}  // namespace
}  // namespace petri
