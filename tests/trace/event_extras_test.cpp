#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/trace/event.hpp"
#include "harness/trace/extras_pool.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

TEST(EventExtras, HoldWhatIsSetAndForgetWhatIsSetToNothing) {
  EventExtras extras;
  EXPECT_TRUE(extras.empty());
  EXPECT_EQ(extras.matched(), kUnset);
  extras.set_win("w");
  extras.set_sendpeer(kNull);
  extras.set_target(0);
  extras.set_counts({1, 2});
  extras.set_out(Summary{"xxh3-128:00", {}, {}, {}, {}, {}, {}});
  EXPECT_EQ(extras.win(), "w");
  EXPECT_EQ(extras.sendpeer(), kNull);
  EXPECT_EQ(extras.target(), 0);
  EXPECT_THAT(extras.counts(), ElementsAre(1, 2));
  EXPECT_EQ(extras.out()->digest, "xxh3-128:00");
  extras.set_win("");
  extras.set_sendpeer(kUnset);
  extras.set_target(std::nullopt);
  extras.set_counts(std::vector<std::int64_t>{});
  extras.set_out({});
  EXPECT_TRUE(extras.empty());
}

TEST(EventExtras, ListsKeepEveryNumber) {
  const std::vector<std::vector<std::int64_t>> lists{
      {0}, {255, 256}, {65535, 65536}, {-1, 4}, {std::int64_t{1} << 32}, {std::numeric_limits<std::int64_t>::min(), 7}};
  for (const auto& list : lists) {
    EventExtras extras;
    extras.set_sendcounts(list);
    EXPECT_THAT(extras.sendcounts(), ElementsAreArray(list));
  }
  EventExtras extras;
  const std::vector<std::int32_t> neighbours{kNull, 3, std::numeric_limits<std::int32_t>::max(), kNull};
  extras.set_sources(neighbours);
  EXPECT_THAT(extras.sources(), ElementsAreArray(neighbours));
}

TEST(EventExtras, AChangeDoesNotReachCopies) {
  EventExtras one;
  one.set_requests({1, 2});
  one.set_index(0);
  EventExtras other = one;
  EXPECT_TRUE(other.same_as(one));
  other.set_index(1);
  EXPECT_EQ(one.index(), 0);
  EXPECT_EQ(other.index(), 1);
  EXPECT_FALSE(one == other);
  other.set_index(0);
  EXPECT_TRUE(one == other);
  EXPECT_THAT(other.requests(), ElementsAre(1, 2));
}

// Two may want one place, so that some are kept again.
TEST(ExtrasPool, EqualOnesAreKeptOnce) {
  constexpr std::size_t kDistinct = 1000;
  ExtrasPool pool;
  std::vector<EventExtras> kept(2 * kDistinct);
  std::size_t shared = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::vector<std::int64_t> counts{static_cast<std::int64_t>(i % kDistinct), 5};
    kept[i].set_win("w");
    kept[i].set_counts(counts);
    pool.share(kept[i]);
    EXPECT_EQ(kept[i].win(), "w");
    EXPECT_THAT(kept[i].counts(), ElementsAreArray(counts));
    if (i >= kDistinct && kept[i].same_as(kept[i - kDistinct])) ++shared;
  }
  EXPECT_GT(shared, kDistinct / 4);
}

// One would stand for the other, and a reduction of it would have another result.
TEST(ExtrasPool, SignsOfZeroAreKeptApart) {
  const auto least = [](double value) {
    Summary summary;
    summary.min = value;
    return summary;
  };
  ExtrasPool pool;
  std::vector<EventExtras> kept(1000);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const double zero = i % 2 == 0 ? 0.0 : -0.0;
    kept[i].set_values({zero, 1.0});
    kept[i].set_fill(Fill{Generator::uniform, 0, zero});
    kept[i].set_in(least(zero));
    pool.share(kept[i]);
    ASSERT_EQ(std::signbit(kept[i].values()[0]), i % 2 == 1);
    ASSERT_EQ(std::signbit(kept[i].fill()->scale), i % 2 == 1);
    ASSERT_EQ(std::signbit(*kept[i].in()->min), i % 2 == 1);
  }
  for (const bool of_values : {true, false}) {
    EventExtras one, other;
    if (of_values) {
      one.set_values({0.0}), other.set_values({-0.0});
    } else {
      one.set_in(least(0.0)), other.set_in(least(-0.0));
    }
    EXPECT_FALSE(one == other);
  }
}

// Distinct events whose texts and lists are the same share those.
TEST(ExtrasPool, PartsAreKeptOnce) {
  ExtrasPool pool;
  EventExtras one, other;
  for (EventExtras* extras : {&one, &other}) extras->set_stream("compute");
  one.set_sendcounts({7, 8});
  other.set_recvcounts({7, 8});
  pool.share(one);
  pool.share(other);
  EXPECT_FALSE(one == other);
  EXPECT_EQ(&one.stream(), &other.stream());
  EXPECT_THAT(other.recvcounts(), ElementsAre(7, 8));
  one.set_stream("copy");
  EXPECT_EQ(other.stream(), "compute");
}

}  // namespace
}  // namespace petri::test
