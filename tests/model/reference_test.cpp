// The reference judge itself: what is legal by construction completes, in every interleaving and under both
// assumptions.
#include "tests/model/reference.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/model/random_schedule.hpp"

namespace petri::test {
namespace {

int wanted_schedules(int usual) {
  const char* wanted = std::getenv("PETRI_RANDOM_SCHEDULES");
  return wanted != nullptr ? std::atoi(wanted) : usual;
}

class ReferenceTest : public testing::TestWithParam<int> {};

TEST_P(ReferenceTest, LegalSchedulesComplete) {
  const auto family = static_cast<Family>(GetParam());
  const Ending completes;
  for (int seed = 0; seed < wanted_schedules(100); ++seed) {
    const RandomSchedule one = random_schedule(family, static_cast<std::uint64_t>(seed));
    if (!one.legal) continue;
    for (const Assumed& assumed : {Assumed{}, Assumed{kAllBuffered}}) {
      const auto endings = all_endings(one.scenario, assumed);
      if (!endings) continue;
      EXPECT_EQ(*endings, std::set<Ending>{completes})
          << "seed " << seed << (assumed.buffered ? ", buffered\n" : ", strict\n") << text_of(one.scenario);
      if (HasFailure()) return;
    }
  }
}

TEST_P(ReferenceTest, CallsThatOnlyJoinMayBeBegunAtOnce) {
  const auto family = static_cast<Family>(GetParam());
  for (int seed = 0; seed < wanted_schedules(100) / 10; ++seed) {
    const RandomSchedule one = random_schedule(family, static_cast<std::uint64_t>(seed));
    for (const auto buffered : {std::optional<std::int64_t>(), std::optional(kAllBuffered)}) {
      const auto all = all_endings(one.scenario, {buffered, true}, 20000);
      if (!all) continue;
      EXPECT_EQ(*all, all_endings(one.scenario, {buffered, false})) << text_of(one.scenario);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ReferenceTest, testing::Range(0, kFamilies), [](const auto& param) {
  std::string name(name_of(static_cast<Family>(param.param)));
  std::erase(name, ' ');
  return name;
});

}  // namespace
}  // namespace petri::test
