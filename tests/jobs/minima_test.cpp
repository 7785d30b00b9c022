// The known minima, by themselves: each fails as the planted job does, and nothing of it can go.
#include <gmock/gmock.h>

#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "reducers/repair.hpp"
#include "tests/jobs/fault.hpp"

namespace petri::jobs {
namespace {

std::vector<Fault> shrinkable() {
  std::vector<Fault> some;
  for (const Fault& fault : faults())
    if (!fault.minimum.empty()) some.push_back(fault);
  return some;
}

class KnownMinimum : public testing::TestWithParam<Fault> {};

TEST_P(KnownMinimum, HasTheFaultsVerdict) {
  EXPECT_EQ(name_of(diagnose(minimum_of(GetParam())).verdict), name_of(GetParam().verdict));
}

TEST_P(KnownMinimum, FailsAsThePlantedJobsDo) {
  const JobSize size{8, 2, 1};
  const std::string signature = diagnose(minimum_of(GetParam())).signature;
  for (const Generator& generator : generators())
    EXPECT_EQ(diagnose(plant(GetParam(), generator, size, usual_place(size)).scenario).signature, signature)
        << generator.name;
}

TEST_P(KnownMinimum, LosesItsFailureWithAnyEvent) {
  const Scenario minimum = minimum_of(GetParam());
  const std::string signature = diagnose(minimum).signature;
  for (std::int32_t rank = 0; rank < minimum.world(); ++rank)
    for (std::uint32_t index = 0; index < minimum.ranks[static_cast<std::size_t>(rank)].events.size(); ++index) {
      Scenario less = minimum;
      auto& events = less.ranks[static_cast<std::size_t>(rank)].events;
      events.erase(events.begin() + index);
      EXPECT_NE(diagnose(less).signature, signature) << "without event " << index << " of rank " << rank;
    }
}

TEST_P(KnownMinimum, LosesItsFailureWithAnyRank) {
  const Scenario minimum = minimum_of(GetParam());
  const std::string signature = diagnose(minimum).signature;
  for (std::size_t rank = 0; rank < minimum.ranks.size(); ++rank) {
    reduce::Selection keep = reduce::Selection::all(minimum);
    keep.ranks[rank] = 0;
    const auto less = reduce::cut(minimum, keep);
    ASSERT_TRUE(less.has_value());
    EXPECT_NE(diagnose(*less).signature, signature) << "without rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, KnownMinimum, testing::ValuesIn(shrinkable()), [](const auto& fault) {
  std::string name(fault.param.name);
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace petri::jobs
