// Every kind of failure can be shrunk: the kept scenarios and random schedules of every family.
//
// PETRI_SHRINK_SCHEDULES is the number of failing random schedules of each family (default 4).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"
#include "tests/model/random_schedule.hpp"
#include "tests/reducers/enlarge.hpp"
#include "tests/reducers/shrunk.hpp"

namespace petri::reduce::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

bool fails(const Diagnosis& diagnosis) {
  return diagnosis.verdict != Verdict::completes && diagnosis.verdict != Verdict::ambiguous;
}

Scenario scenario_in(const fs::path& folder) {
  return read_scenario(folder / "scenario.jsonl");
}

std::vector<std::string> kept_failures() {
  std::vector<std::string> names;
  for (const auto& folder : fs::directory_iterator(PETRI_SCENARIOS))
    if (fs::exists(folder.path() / "scenario.jsonl") && fails(diagnose(scenario_in(folder.path()))))
      names.push_back(folder.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

class KeptScenario : public ::testing::TestWithParam<std::string> {};

TEST_P(KeptScenario, ShrinksToItsMinimum) {
  const Scenario input = scenario_in(fs::path(PETRI_SCENARIOS) / GetParam());
  EXPECT_THAT(complaints_about(input, shrink_failure(input)), IsEmpty());
}

// What is left: how many events of which operations each rank has, and over how many communicators.
std::string shape_of(const Scenario& scenario) {
  std::vector<std::string> ranks;
  for (const RankTrace& rank : scenario.ranks) {
    std::string calls = "(";
    for (const Event& event : rank.events) calls += fmt::format(" {}", name_of(event.op));
    ranks.push_back(calls + " )");
  }
  std::sort(ranks.begin(), ranks.end());
  return fmt::format("{} {} communicators", fmt::join(ranks, " "), scenario.comms.size());
}

TEST_P(KeptScenario, ShrinksToTheSameMinimumFromTheMiddleOfALargeJob) {
  const Scenario input = scenario_in(fs::path(PETRI_SCENARIOS) / GetParam());
  const std::string signature = diagnose(input).signature;
  const Scenario small = shrink_failure(input).scenario;
  for (const Surroundings& around : {Surroundings{1, 1}, Surroundings{6, 3}, Surroundings{29, 8}}) {
    const Scenario large = enlarge(input, around);
    ASSERT_EQ(diagnose(large).signature, signature) << around.bystanders << " bystanders";
    const ShrinkResult result = shrink_failure(large);
    EXPECT_THAT(complaints_about(large, result), IsEmpty());
    EXPECT_EQ(shape_of(result.scenario), shape_of(small)) << around.bystanders << " bystanders";
  }
}

INSTANTIATE_TEST_SUITE_P(All, KeptScenario, ::testing::ValuesIn(kept_failures()), [](const auto& one) {
  std::string name = one.param;
  std::erase(name, '-');
  return name;
});

// A mutation may leave a call with arguments that it does not take.
bool can_be_read(const Scenario& scenario) {
  std::stringstream text;
  write_scenario(scenario, text);
  try {
    read_scenario(text, "random.jsonl");
  } catch (const InputError&) {
    return false;
  }
  return true;
}

class RandomFailure : public ::testing::TestWithParam<int> {};

// Calls `visit` with so many failing schedules of the family, their diagnoses and seeds.
template <class Visit>
void for_each_failure(test::Family family, Visit visit) {
  const char* set = std::getenv("PETRI_SHRINK_SCHEDULES");
  const int wanted = set != nullptr ? std::max(1, std::atoi(set)) : 4;
  int found = 0;
  for (std::uint64_t seed = 1; found < wanted && seed < 200U * static_cast<unsigned>(wanted); ++seed) {
    const Scenario input = test::random_schedule(family, seed).scenario;
    const Diagnosis diagnosis = diagnose(input);
    if (!fails(diagnosis) || !can_be_read(input)) continue;
    ++found;
    visit(input, diagnosis, seed);
  }
  EXPECT_GT(found, 0);
}

TEST_P(RandomFailure, ShrinksToItsMinimum) {
  const auto family = static_cast<test::Family>(GetParam());
  std::map<std::size_t, int> sizes;
  for_each_failure(family, [&](const Scenario& input, const Diagnosis&, std::uint64_t seed) {
    const ShrinkResult result = shrink_failure(input);
    EXPECT_THAT(complaints_about(input, result), IsEmpty()) << test::name_of(family) << " " << seed;
    ++sizes[result.scenario.event_count()];
  });
  std::string text;
  for (const auto& [events, count] : sizes) text += fmt::format("{} x {} events; ", count, events);
  RecordProperty("minima", text);
}

// Where a schedule has several faults, the surroundings may put another one first: then there is nothing to compare.
// What was never made, or taken by no probe, shows only in a record that begins with the rank's first call: that stays,
// whatever it is. And 1-minimal is not the smallest of all: from elsewhere the way may lead to another minimum, which
// is rare (of 1,800 schedules in 5).
TEST_P(RandomFailure, ShrinksToTheSameMinimumFromTheMiddleOfALargeJob) {
  const auto family = static_cast<test::Family>(GetParam());
  int compared = 0, others = 0;
  std::vector<std::string> elsewhere;
  for_each_failure(family, [&](const Scenario& input, const Diagnosis& diagnosis, std::uint64_t seed) {
    const Scenario large = enlarge(input, {4, 2});
    if (diagnose(large).signature != diagnosis.signature) return static_cast<void>(++others);
    ++compared;
    const ShrinkResult result = shrink_failure(large);
    EXPECT_THAT(complaints_about(large, result), IsEmpty()) << test::name_of(family) << " " << seed;
    const auto speaks_of = [&](const char* words) { return diagnosis.signature.find(words) != std::string::npos; };
    if (speaks_of(" made") || speaks_of("taken by no matched probe")) return;
    const std::string from_large = shape_of(result.scenario);
    const std::string from_small = shape_of(shrink_failure(input).scenario);
    if (from_large != from_small)
      elsewhere.push_back(fmt::format("{} {}: {} and {}", test::name_of(family), seed, from_large, from_small));
  });
  EXPECT_GT(compared, 4 * others);
  EXPECT_LE(elsewhere.size(), static_cast<std::size_t>(compared) / 20) << fmt::format("{}", fmt::join(elsewhere, "\n"));
}

INSTANTIATE_TEST_SUITE_P(Families, RandomFailure, ::testing::Range(0, test::kFamilies), [](const auto& one) {
  std::string name(test::name_of(static_cast<test::Family>(one.param)));
  std::erase(name, ' ');
  return name;
});

}  // namespace
}  // namespace petri::reduce::testing
