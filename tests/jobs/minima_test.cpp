// The known minima, by themselves: each fails as the planted job does, and nothing of it can go.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "reducers/repair.hpp"
#include "tests/jobs/fault.hpp"

namespace petri::jobs {
namespace {

struct Minimum {
  const Fault* fault = nullptr;
  const Variant* variant = nullptr;
  Scenario scenario() const { return minimum_of(*fault, *variant); }
};

void PrintTo(const Minimum& minimum, std::ostream* out) {
  *out << minimum.fault->what;
}

std::vector<Minimum> minima() {
  std::vector<Minimum> some;
  for (const Fault& fault : faults())
    for (const Variant& variant : variants())
      if (!fault.minimum.empty() && fault.goes_into(generators().front(), variant)) some.push_back({&fault, &variant});
  return some;
}

class KnownMinimum : public testing::TestWithParam<Minimum> {};

TEST_P(KnownMinimum, HasTheFaultsVerdict) {
  EXPECT_EQ(name_of(diagnose(GetParam().scenario()).verdict), name_of(GetParam().fault->verdict));
}

TEST_P(KnownMinimum, FailsAsThePlantedJobsDo) {
  const JobSize size{8, GetParam().variant->one_step ? 1 : 2, 1};
  const std::string signature = diagnose(GetParam().scenario()).signature;
  for (const Generator& generator : generators()) {
    const PlantedJob job =
        plant(*GetParam().fault, *GetParam().variant, generator, size, place_of(*GetParam().variant, size));
    EXPECT_EQ(diagnose(job.scenario).signature, signature) << generator.name;
  }
}

TEST_P(KnownMinimum, LosesItsFailureWithAnyEvent) {
  const Scenario minimum = GetParam().scenario();
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
  const Scenario minimum = GetParam().scenario();
  if (minimum.world() == 1) return;  // there is no job without ranks
  const std::string signature = diagnose(minimum).signature;
  for (std::size_t rank = 0; rank < minimum.ranks.size(); ++rank) {
    reduce::Selection keep = reduce::Selection::all(minimum);
    keep.ranks[rank] = 0;
    const auto less = reduce::cut(minimum, keep);
    ASSERT_TRUE(less.has_value());
    EXPECT_NE(diagnose(*less).signature, signature) << "without rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, KnownMinimum, testing::ValuesIn(minima()), [](const auto& minimum) {
  std::string name = std::string(minimum.param.fault->name) + "_" + std::string(minimum.param.variant->name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace petri::jobs
