// Where a run is said to end in the same place however much is buffered, it does.
#include "harness/diagnose/buffering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/model/random_schedule.hpp"

namespace petri::diagnosis {
namespace {

using test::Family;

bool same_atom(const model::Atom& one, const model::Atom& other) {
  return one.kind == other.kind && one.comm == other.comm && one.peer == other.peer && one.tag == other.tag &&
         one.posted == other.posted;
}

bool same_wait(const model::Wait& one, const model::Wait& other) {
  return one.rank == other.rank && one.index == other.index && one.lane == other.lane && one.any == other.any &&
         one.polls == other.polls && std::ranges::equal(one.atoms, other.atoms, same_atom);
}

class BufferingTest : public testing::TestWithParam<int> {
 protected:
  Family family() const { return static_cast<Family>(GetParam()); }
};

TEST_P(BufferingTest, RunsThatItCannotMoveEndInTheSamePlace) {
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const bool follow_record : {true, false}) {
      const Scenario scenario = test::random_schedule(family(), seed).scenario;
      const model::Run strict = model::run(scenario, {std::nullopt, follow_record});
      if (!ends_so_however_buffered(scenario, strict)) continue;
      for (const std::int64_t limit : {std::int64_t{0}, model::kUnlimited}) {
        const model::Run buffered = model::run(scenario, {limit, follow_record});
        EXPECT_TRUE(std::ranges::equal(strict.waits, buffered.waits, same_wait) &&
                    strict.standing == buffered.standing && strict.index == buffered.index &&
                    strict.stuck == buffered.stuck && buffered.choices.empty())
            << "seed " << seed << "\n"
            << test::text_of(scenario);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Families, BufferingTest, testing::Range(0, test::kFamilies), [](const auto& param) {
  std::string name(test::name_of(static_cast<Family>(param.param)));
  std::erase(name, ' ');
  return name;
});

TEST(Buffering, CannotMoveARingOfReceives) {
  Scenario ring(3);
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    Event receive;
    receive.op = Op::recv;
    receive.peer = (rank + 2) % 3;
    ring.ranks[static_cast<std::size_t>(rank)].events.push_back(receive);
  }
  EXPECT_TRUE(ends_so_however_buffered(ring, model::run(ring, {std::nullopt, true})));
  for (RankTrace& rank : ring.ranks) rank.events.front().op = Op::send;
  EXPECT_FALSE(ends_so_however_buffered(ring, model::run(ring, {std::nullopt, true})));
}

}  // namespace
}  // namespace petri::diagnosis
