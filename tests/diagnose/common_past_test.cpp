#include "harness/diagnose/common_past.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace petri::diagnosis {
namespace {

using Calls = std::vector<std::uint64_t>;

// How many calls before `here` in one are those before `there` in the other, as far as `oldest` in the first one; the
// start of both counts as a call.
std::size_t common_before(const Calls& own, std::size_t here, const Calls& other, std::size_t there,
                          std::size_t oldest) {
  std::size_t common = 0;
  while (here > oldest && there > 0 && own[here - 1] == other[there - 1]) ++common, --here, --there;
  return common + (here == 0 && there == 0 ? 1 : 0);
}

class Ranks {
 public:
  explicit Ranks(std::vector<Calls> ranks) : ranks_(std::move(ranks)) {
    for (const Calls& calls : ranks_) histories_.add(calls);
  }

  void expect_past_of(std::size_t number) const {
    const Calls& own = ranks_[number];
    const std::size_t first = own.size() - std::min(own.size(), CommonPast::kMostCalls);
    const std::size_t oldest = first - std::min(first, CommonPast::kContext);
    CommonPast past(histories_, number, first);
    for (std::size_t here = first; here < own.size(); ++here) {
      if (here > first) past.advance();
      std::size_t most = 0;
      for (std::size_t other = 0; other < ranks_.size(); ++other) {
        const auto counts = past.before_calls_of(other);
        ASSERT_EQ(counts.size(), ranks_[other].size());
        for (std::size_t there = 0; there < counts.size(); ++there) {
          const bool itself = other == number && there == here;
          const std::size_t common = itself ? 0 : common_before(own, here, ranks_[other], there, oldest);
          ASSERT_EQ(counts[there], common) << "call " << here << " of " << number << ", " << there << " of " << other;
          if (ranks_[other][there] == own[here]) most = std::max(most, common);
        }
      }
      ASSERT_EQ(past.most_before_equal_call(), most);
    }
  }

  void expect_past_of_all() const {
    for (std::size_t number = 0; number < ranks_.size(); ++number)
      if (!ranks_[number].empty()) expect_past_of(number);
  }

 private:
  std::vector<Calls> ranks_;
  Histories histories_;
};

TEST(CommonPast, IsWhatIsCountedBackwards) {
  std::mt19937_64 random(7);
  for (const std::uint64_t kinds : {1U, 2U, 5U})
    for (int round = 0; round < 20; ++round) {
      std::vector<Calls> ranks;
      for (std::size_t rank = 0; rank < 1 + random() % 4; ++rank) {
        Calls& calls = ranks.emplace_back();
        for (std::size_t size = random() % 60; calls.size() < size;) calls.push_back(random() % kinds);
      }
      Ranks(std::move(ranks)).expect_past_of_all();
    }
}

// A loop far longer than what is compared: counts stay below their limit, and the start of the ranks is out of sight.
TEST(CommonPast, OfLongLoopsEndsWithTheContext) {
  Calls loop;
  for (std::uint64_t i = 0; i < 900; ++i) loop.push_back(i % 3);
  Ranks({loop, Calls(700, 0), loop}).expect_past_of_all();
}

}  // namespace
}  // namespace petri::diagnosis
