// Every kind of failure can be shrunk: the kept scenarios and random schedules of every family.
//
// PETRI_SHRINK_SCHEDULES is the number of failing random schedules of each family (default 4).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"
#include "tests/model/random_schedule.hpp"
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

TEST_P(RandomFailure, ShrinksToItsMinimum) {
  const char* set = std::getenv("PETRI_SHRINK_SCHEDULES");
  const int wanted = set != nullptr ? std::max(1, std::atoi(set)) : 4;
  const auto family = static_cast<test::Family>(GetParam());
  int shrunk = 0;
  for (std::uint64_t seed = 1; shrunk < wanted && seed < 200U * static_cast<unsigned>(wanted); ++seed) {
    const Scenario input = test::random_schedule(family, seed).scenario;
    const Diagnosis diagnosis = diagnose(input);
    if (!fails(diagnosis) || !can_be_read(input)) continue;
    ++shrunk;
    const ShrinkResult result = shrink_failure(input);
    EXPECT_THAT(complaints_about(input, result), IsEmpty()) << test::name_of(family) << " " << seed;
    if (std::getenv("PETRI_SHRINK_SIZES") != nullptr) {
      std::ostringstream out;
      write_scenario(result.scenario, out);
      fmt::print("SIZE {} {} {} {} {} {} {}\n{}", result.scenario.event_count(), result.scenario.world(),
                 result.scenario.comms.size(), test::name_of(family), seed, result.asked, diagnosis.signature,
                 out.str());
    }
  }
  EXPECT_GT(shrunk, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, RandomFailure, ::testing::Range(0, test::kFamilies), [](const auto& one) {
  std::string name(test::name_of(static_cast<test::Family>(one.param)));
  std::erase(name, ' ');
  return name;
});

}  // namespace
}  // namespace petri::reduce::testing
