#include "harness/launch/stall_watch.hpp"

#include <gtest/gtest.h>

namespace petri {
namespace {

using Action = StallWatch::Action;

Progress progress(std::uint64_t moves, int waiting, int running, std::uint64_t polls = 0) {
  return {moves, polls, waiting + running, waiting + running, waiting, running};
}

TEST(StallWatch, AsksOnlyAfterTheWindow) {
  StallWatch watch({});
  EXPECT_EQ(watch.next(progress(10, 2, 0), 0), Action::none);
  EXPECT_EQ(watch.next(progress(10, 2, 0), kConfirm_s * 0.9), Action::none);
  EXPECT_EQ(watch.next(progress(10, 2, 0), kConfirm_s * 1.1), Action::test);
}

TEST(StallWatch, StartsAgainWithEachMove) {
  StallWatch watch({});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(watch.next(progress(10 + i, 2, 0), i * kConfirm_s * 2), Action::none);
}

TEST(StallWatch, FailedPollsAreNoProgress) {
  StallWatch watch({});
  watch.next(progress(10, 1, 1, 0), 0);
  EXPECT_EQ(watch.next(progress(10, 1, 1, 5000), kConfirm_s * 1.1), Action::test);
  watch.proved_but_for_time();
  EXPECT_EQ(watch.next(progress(10, 1, 1, 9000), kConfirmPolls_s * 0.9), Action::none);
  EXPECT_EQ(watch.next(progress(10, 1, 1, 9500), kConfirmPolls_s * 1.1), Action::test);
}

TEST(StallWatch, AJobInWhichAllComputeIsNotSuspected) {
  StallWatch watch({});
  for (int second = 0; second < 5000; ++second) EXPECT_EQ(watch.next(progress(10, 0, 4), second), Action::none);
}

TEST(StallWatch, AsksEverMoreRarelyWhileNothingMoves) {
  StallWatch watch({});
  int tests = 0;
  for (double now = 0; now < 300; now += 0.05) {
    if (watch.next(progress(10, 3, 1), now) != Action::test) continue;
    ++tests;
    watch.not_proved(now, 3);
  }
  EXPECT_GE(tests, 10);
  EXPECT_LE(tests, 30);
}

// What a test waits for may come without any move: then a cheap one finds it soon, however long nothing has moved.
TEST(StallWatch, AsksACheapTestOften) {
  StallWatch watch({});
  double last = 0;
  for (double now = 0; now < 300; now += 0.05) {
    if (watch.next(progress(10, 3, 1), now) != Action::test) continue;
    EXPECT_LT(now - last, kCheapBackOff_s + 0.1);
    last = now;
    watch.not_proved(now, 0.001);
  }
  EXPECT_GT(last, 298);
}

TEST(StallWatch, AsksNothingBeforeAllRanksAreThere) {
  StallWatch watch({});
  Progress starting = progress(10, 2, 0);
  starting.expected = 3;
  watch.next(starting, 0);
  EXPECT_EQ(watch.next(starting, 5), Action::none);
}

TEST(StallWatch, TimesOutByDefaultOnlyWhenNobodyComputes) {
  StallWatch computing({});
  computing.next(progress(10, 3, 1), 0);
  computing.not_proved(kDefaultTimeout_s, 1);
  EXPECT_NE(computing.next(progress(10, 3, 1), kDefaultTimeout_s + 1), Action::time_out);
  StallWatch waiting({});
  waiting.next(progress(10, 4, 0), 0);
  EXPECT_EQ(waiting.next(progress(10, 4, 0), kDefaultTimeout_s + 1), Action::time_out);
}

TEST(StallWatch, TimesOutWhenToldTo) {
  StallWatch watch(2.0);
  watch.next(progress(10, 0, 4), 0);
  EXPECT_EQ(watch.next(progress(10, 0, 4), 1.9), Action::none);
  EXPECT_EQ(watch.next(progress(10, 0, 4), 2.1), Action::time_out);
}

}  // namespace
}  // namespace petri
