// The verdicts of diagnose against the reference judge on random schedules: what blocks is a deadlock, what is legal is
// never flagged, what some orders alone show is never called clean.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "harness/diagnose/diagnose.hpp"
#include "tests/model/random_schedule.hpp"
#include "tests/model/reference.hpp"

namespace petri::test {
namespace {

constexpr std::size_t kMaxStates = 30000;

int wanted_schedules(int usual) {
  const char* wanted = std::getenv("PETRI_RANDOM_SCHEDULES");
  return wanted != nullptr ? std::atoi(wanted) : usual;
}

bool has_wildcards(const Scenario& scenario) {
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events)
      if (event.peer == kAny) return true;
  return false;
}

// What the reference says of a schedule.
// clang-format off
enum class Truth : std::uint8_t {
  completes, pending, perhaps_pending, misused, mismatch, deadlock, in_some_orders, undefined,
};
// clang-format on

std::string_view name_of(Truth truth) {
  static constexpr std::string_view kNames[] = {"completes", "request pending", "perhaps pending",      "misused",
                                                "mismatch",  "deadlock",        "fault in some orders", "not compared"};
  return kNames[static_cast<std::size_t>(truth)];
}

Truth truth_of(const Scenario& scenario, std::optional<std::int64_t> buffered) {
  const auto endings = all_endings(scenario, {buffered, false}, kMaxStates);
  if (!endings) return Truth::undefined;
  const auto in = [&](auto holds) { return std::count_if(endings->begin(), endings->end(), holds); };
  const auto all = static_cast<std::ptrdiff_t>(endings->size());
  const auto blocked = in([](const Ending& ending) { return !ending.blocked.empty(); });
  const auto faulty = in([](const Ending& ending) { return ending.mismatch || ending.pending; });
  const auto mismatched = in([](const Ending& ending) { return ending.mismatch; });
  if (in([](const Ending& ending) { return ending.erroneous; }) > 0) return Truth::undefined;
  if (blocked == all) return Truth::deadlock;
  if (blocked > 0) return Truth::in_some_orders;
  if (mismatched == all) return Truth::mismatch;
  if (mismatched > 0) return Truth::in_some_orders;
  if (uses_wrongly(scenario)) return Truth::misused;
  if (faulty == 0) return Truth::completes;
  return faulty == all ? Truth::pending : Truth::perhaps_pending;
}

bool agree(Family family, const Scenario& scenario, Truth truth, Verdict verdict) {
  switch (truth) {
    // A wildcard whose message is not certain is a race also where nothing goes wrong. What is misuse of a window (an
    // access outside its epoch, a call after its end) the reference does not know.
    case Truth::completes:
      return verdict == Verdict::completes || (verdict == Verdict::race && has_wildcards(scenario)) ||
             (verdict == Verdict::misuse && (family >= Family::fences && family <= Family::locks));
    case Truth::pending: return verdict == Verdict::misuse;
    // A waitsome that does not say how many it completed is taken to complete what is done.
    case Truth::perhaps_pending: return verdict == Verdict::misuse || verdict == Verdict::completes;
    case Truth::misused: return verdict == Verdict::misuse;
    case Truth::mismatch: return verdict == Verdict::mismatch;
    // Who marks partitions or posts a window too early waits for it in vain, and nobody meets a call on what is not
    // there: the deadlock only follows from it.
    case Truth::deadlock: {
      const bool may_follow = family == Family::creations || family == Family::partitions || family == Family::files ||
                              (family >= Family::fences && family <= Family::locks);
      return verdict == Verdict::deadlock || (verdict == Verdict::misuse && may_follow && uses_wrongly(scenario));
    }
    // Another order of kernels than the host's is told in a note: it is no fault of the schedule.
    case Truth::in_some_orders: return verdict != Verdict::completes || family == Family::streams;
    case Truth::undefined: return true;
  }
  return false;
}

bool says(const Diagnosis& diagnosis, std::string_view words) {
  return std::any_of(diagnosis.assumptions.begin(), diagnosis.assumptions.end(),
                     [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

// What a deadlock's assumptions claim: in which orders it is there, and whether buffering hides it.
std::string false_claim(const Scenario& scenario, Truth truth, const Diagnosis& strict) {
  if (strict.verdict != Verdict::deadlock) return "";
  if (truth == Truth::deadlock && says(strict, "in some orders")) return "it is there in all orders";
  if (truth == Truth::in_some_orders && !says(strict, "in some orders")) return "it is there in some orders only";
  const Truth buffered = truth_of(scenario, kAllBuffered);
  const bool hidden = says(strict, "hidden where");
  const bool others = says(strict, "hang all the same");  // this deadlock is hidden, and another shows
  if (buffered == Truth::deadlock && hidden && !others) return "no buffering hides it";
  if (buffered < Truth::deadlock && others) return "nobody hangs where messages are buffered";
  if (buffered != Truth::deadlock && buffered < Truth::deadlock && !hidden) return "buffering hides it";
  return "";
}

class RandomVerdictsTest : public testing::TestWithParam<int> {};

TEST_P(RandomVerdictsTest, AgreeWithTheReference) {
  const auto family = static_cast<Family>(GetParam());
  std::map<std::pair<Truth, Verdict>, int> table;
  int disagreements = 0;
  for (int seed = 0; seed < wanted_schedules(100); ++seed) {
    const RandomSchedule schedule = random_schedule(family, static_cast<std::uint64_t>(seed));
    for (const auto buffered : {std::optional<std::int64_t>(), std::optional(kAllBuffered)}) {
      const auto judged = [&](const Scenario& one) {
        DiagnoseOptions options;
        options.buffered = buffered;
        return std::pair(truth_of(one, buffered), diagnose(one, options).verdict);
      };
      const std::pair<Truth, Verdict> judgement = judged(schedule.scenario);
      const auto [truth, verdict] = judgement;
      ++table[{truth, verdict}];
      if (schedule.legal && truth != Truth::undefined) {
        EXPECT_EQ(verdict, Verdict::completes) << "seed " << seed << "\n" << text_of(schedule.scenario);
      }
      if (!buffered && agree(family, schedule.scenario, truth, verdict)) {
        const std::string claim = false_claim(schedule.scenario, truth, diagnose(schedule.scenario));
        EXPECT_EQ(claim, "") << "seed " << seed << "\n" << text_of(schedule.scenario);
      }
      if (agree(family, schedule.scenario, truth, verdict) || ++disagreements > 3) continue;
      const Scenario small = shrink_schedule(schedule.scenario, [&](const Scenario& one) {
        return judged(one) == judgement && !agree(family, one, judgement.first, judgement.second);
      });
      ADD_FAILURE() << "seed " << seed << (buffered ? ", buffered" : ", strict") << ": the reference says "
                    << name_of(truth) << ", diagnose says " << petri::name_of(verdict) << "\n"
                    << text_of(small);
    }
  }
  for (const auto& [pair, times] : table)
    fmt::print("{:24} {:22} {:12} {:6}\n", name_of(family), name_of(pair.first), petri::name_of(pair.second), times);
  EXPECT_EQ(disagreements, 0);
}

TEST_P(RandomVerdictsTest, TheFirstFindingIsTheSameWhetherOrNotMoreIsAskedFor) {
  DiagnoseOptions first_only;
  first_only.first_only = true;
  for (int seed = 0; seed < wanted_schedules(100); ++seed) {
    const auto schedule = random_schedule(static_cast<Family>(GetParam()), static_cast<std::uint64_t>(seed));
    const Diagnosis whole = diagnose(schedule.scenario), first = diagnose(schedule.scenario, first_only);
    EXPECT_EQ(first.signature, whole.signature) << "seed " << seed;
    EXPECT_EQ(petri::name_of(first.verdict), petri::name_of(whole.verdict)) << "seed " << seed;
    if (whole.findings.empty()) continue;
    EXPECT_EQ(first.findings.front().text, whole.findings.front().text) << "seed " << seed;
    EXPECT_EQ(first.orders, whole.orders) << "seed " << seed;
    EXPECT_EQ(first.certainty, whole.certainty) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, RandomVerdictsTest, testing::Range(0, kFamilies), [](const auto& param) {
  std::string name(name_of(static_cast<Family>(param.param)));
  std::erase(name, ' ');
  return name;
});

}  // namespace
}  // namespace petri::test
