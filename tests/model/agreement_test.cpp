// The fast model against the reference, family by family: which ranks can be left blocked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/model/explore.hpp"
#include "tests/model/random_schedule.hpp"
#include "tests/model/reference.hpp"

namespace petri::test {
namespace {

using Blocked = std::set<std::vector<std::int32_t>>;  // sets of ranks; the empty one: it completes

constexpr std::size_t kMaxStates = 30000;
constexpr std::uint64_t kMaxOrders = 20000;

int wanted_schedules(int usual) {
  const char* wanted = std::getenv("PETRI_RANDOM_SCHEDULES");
  return wanted != nullptr ? std::atoi(wanted) : usual;
}

// Ranks that the model leaves blocked in a call; an implied finalize is none.
std::optional<Blocked> by_model(const Scenario& scenario, std::optional<std::int64_t> buffered) {
  Blocked found;
  const auto seen = model::explore(scenario, {buffered, false, true}, kMaxOrders, [&](const model::Run& run) {
    std::vector<std::int32_t> ranks;
    for (const model::Wait& wait : run.waits)
      if (wait.index < scenario.ranks[static_cast<std::size_t>(wait.rank)].events.size()) ranks.push_back(wait.rank);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    found.insert(ranks);
    return true;
  });
  if (!seen.complete) return std::nullopt;
  return found;
}

std::optional<Blocked> by_reference(const Scenario& scenario, std::optional<std::int64_t> buffered) {
  const auto endings = all_endings(scenario, {buffered, false}, kMaxStates);
  if (!endings) return std::nullopt;
  Blocked found;
  for (const Ending& ending : *endings) {
    if (ending.erroneous) return std::nullopt;
    found.insert(ending.blocked);
  }
  return found;
}

bool disagree(const Scenario& scenario, std::optional<std::int64_t> buffered) {
  const auto expected = by_reference(scenario, buffered);
  const auto found = expected ? by_model(scenario, buffered) : std::nullopt;
  return expected && found && *expected != *found;
}

std::string sets_of(const std::optional<Blocked>& blocked) {
  if (!blocked) return "too many";
  std::string text;
  for (const auto& ranks : *blocked) text += fmt::format("[{}] ", fmt::join(ranks, ","));
  return text;
}

struct Tally {
  int completing = 0, in_some_orders = 0, blocking = 0, not_compared = 0, disagreements = 0;
};

void compare(Family family, std::uint64_t seed, std::optional<std::int64_t> buffered, Tally& tally) {
  const Scenario scenario = random_schedule(family, seed).scenario;
  const auto expected = by_reference(scenario, buffered);
  const auto found = expected ? by_model(scenario, buffered) : std::nullopt;
  if (!expected || !found) return void(++tally.not_compared);
  const bool completes = expected->count({}) != 0;
  ++(!completes ? tally.blocking : expected->size() > 1 ? tally.in_some_orders : tally.completing);
  if (*expected == *found) return;
  ++tally.disagreements;
  if (tally.disagreements > 3) return;
  const Scenario small = shrink_schedule(scenario, [&](const Scenario& one) { return disagree(one, buffered); });
  ADD_FAILURE() << name_of(family) << ", seed " << seed << (buffered ? ", buffered" : ", strict")
                << "\nreference: " << sets_of(by_reference(small, buffered))
                << "\nmodel:     " << sets_of(by_model(small, buffered)) << "\n"
                << text_of(small);
}

class AgreementTest : public testing::TestWithParam<int> {};

TEST_P(AgreementTest, ModelLeavesTheSameRanksBlocked) {
  const auto family = static_cast<Family>(GetParam());
  Tally tally;
  for (int seed = 0; seed < wanted_schedules(150); ++seed)
    for (const auto buffered : {std::optional<std::int64_t>(), std::optional(kAllBuffered)})
      compare(family, static_cast<std::uint64_t>(seed), buffered, tally);
  fmt::print("{:24} completes {:6}  in some orders {:5}  blocks {:6}  not compared {:4}  disagreements {}\n",
             name_of(family), tally.completing, tally.in_some_orders, tally.blocking, tally.not_compared,
             tally.disagreements);
  EXPECT_EQ(tally.disagreements, 0);
  EXPECT_GT(tally.completing, 0);
  EXPECT_GT(tally.blocking, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, AgreementTest, testing::Range(0, kFamilies), [](const auto& param) {
  std::string name(name_of(static_cast<Family>(param.param)));
  std::erase(name, ' ');
  return name;
});

}  // namespace
}  // namespace petri::test
