#include "reducers/loops.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace petri::reduce {
namespace {

struct Form {
  Hash shape;
  std::size_t size;
};

Form fold(std::string_view calls) {
  LoopFolder folder;
  for (const char call : calls) folder.push(mix(0, static_cast<Hash>(call)));
  return {folder.shape(), folder.size()};
}

std::string times(std::size_t count, const std::string& body) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += body;
  return all;
}

TEST(Loops, ABodyHasOneShapeHoweverOftenItRuns) {
  for (const std::string body : {"a", "ab", "abc", "abac", "aab", "abb", "abbcb", "abcdefghijklmnopqrstuvwxyz"}) {
    const Form twice = fold(times(2, body));
    EXPECT_EQ(twice.size, 1U) << body;
    for (const std::size_t count : {3, 7, 1000, 1001}) {
      const Form often = fold(times(count, body));
      EXPECT_EQ(often.shape, twice.shape) << body << " " << count;
      EXPECT_EQ(often.size, 1U) << body << " " << count;
    }
  }
}

TEST(Loops, OnceIsNoLoop) {
  EXPECT_NE(fold("abc").shape, fold("abcabc").shape);
  EXPECT_EQ(fold("abc").size, 3U);
  EXPECT_EQ(fold("a").size, 1U);
  EXPECT_NE(fold("a").shape, fold("aa").shape);
  EXPECT_NE(fold("").shape, fold("a").shape);
}

TEST(Loops, BodiesOrdersAndSurroundingsDiffer) {
  EXPECT_NE(fold(times(9, "ab")).shape, fold(times(9, "ac")).shape);
  EXPECT_NE(fold(times(9, "abc")).shape, fold(times(9, "acb")).shape);
  EXPECT_NE(fold("p" + times(9, "ab")).shape, fold(times(9, "ab")).shape);
  EXPECT_NE(fold(times(9, "ab") + "e").shape, fold(times(9, "ab")).shape);
}

TEST(Loops, PrologueAndEpilogueStayOutside) {
  const Form some = fold("pq" + times(5, "abc") + "ef");
  EXPECT_EQ(some.size, 5U);
  EXPECT_EQ(some.shape, fold("pq" + times(800, "abc") + "ef").shape);
}

TEST(Loops, WhatIsLeftOfABodyStandsBehindTheLoop) {
  const Form stopped = fold(times(20, "abcd") + "ab");
  EXPECT_EQ(stopped.size, 3U);
  EXPECT_EQ(stopped.shape, fold(times(7, "abcd") + "ab").shape);
  EXPECT_NE(stopped.shape, fold(times(20, "abcd") + "abc").shape);
}

TEST(Loops, LoopsNestWhateverTheirNumbers) {
  const auto nested = [](std::size_t outer, std::size_t inner, std::size_t innermost) {
    return fold("p" + times(outer, "a" + times(inner, "b" + times(innermost, "c") + "d") + "e") + "q");
  };
  const Form few = nested(3, 2, 2);
  EXPECT_EQ(few.size, 3U);
  for (const std::size_t outer : {2, 4, 9})
    for (const std::size_t inner : {2, 3, 8})
      for (const std::size_t innermost : {2, 5, 6}) EXPECT_EQ(nested(outer, inner, innermost).shape, few.shape);
}

TEST(Loops, ALoopAtTheEndOfABodyMayRunLonger) {
  const Form few = fold(times(3, "a" + times(2, "bc")));
  EXPECT_EQ(few.size, 1U);
  EXPECT_EQ(fold(times(3, "a" + times(5, "bc"))).shape, few.shape);
  EXPECT_EQ(fold("abcbc" + times(4, "a" + times(3, "bc")) + "abcbcbcbc").shape, few.shape);
}

TEST(Loops, NumbersThatChangeFromStepToStepHideNoLoop) {
  std::string rising, falling;
  for (std::size_t i = 2; i < 40; ++i) {
    rising += "a" + times(i, "b") + "c";
    falling += "a" + times(42 - i, "b") + "c";
  }
  EXPECT_EQ(fold(rising).size, 1U);
  EXPECT_EQ(fold(rising).shape, fold(falling).shape);
}

TEST(Loops, APeriodThatChangesMakesTwoLoops) {
  const Form both = fold(times(10, "abc") + times(10, "abd"));
  EXPECT_EQ(both.size, 2U);
  EXPECT_EQ(both.shape, fold(times(4, "abc") + times(15, "abd")).shape);
  EXPECT_NE(both.shape, fold(times(10, "abd") + times(10, "abc")).shape);
}

TEST(Loops, OneStepThatIsDifferentIsSeen) {
  const std::string step = "abcd";
  EXPECT_NE(fold(times(9, step)).shape, fold(times(4, step) + "abccd" + times(4, step)).shape);
  EXPECT_NE(fold(times(9, step)).shape, fold(times(4, step) + "abd" + times(4, step)).shape);
  EXPECT_EQ(fold(times(4, step) + "abd" + times(4, step)).shape, fold(times(8, step) + "abd" + times(3, step)).shape);
}

TEST(Loops, ALongBodyOfFewDifferentCallsIsFound) {
  std::string body;
  Hash random = 7;
  for (int i = 0; i < 3000; ++i) {
    random = mix(random, 1);
    body += random % 2 == 0 ? 'a' : 'b';
  }
  const Form some = fold(times(6, body));
  EXPECT_LT(some.size, 2 * body.size());
  EXPECT_EQ(some.size, fold(times(9, body)).size);
}

TEST(Loops, AClearedFolderForgets) {
  LoopFolder folder;
  for (int i = 0; i < 100; ++i) folder.push(static_cast<Hash>(i % 7));
  folder.clear();
  EXPECT_EQ(folder.size(), 0U);
  EXPECT_EQ(folder.shape(), LoopFolder().shape());
  for (const Hash symbol : {1, 2, 1, 2}) folder.push(symbol);
  EXPECT_EQ(folder.size(), 1U);
}

// Each takes minutes where a step costs more than a few comparisons. (The Fibonacci sequence is full of repetitions,
// the ruler sequence has none; the last but one nests as deeply as its length allows, the last is never quite a loop.)
TEST(Loops, NoInputTakesLong) {
  constexpr std::size_t kLong = 1'000'000;
  const auto feed = [](auto symbol_at) {
    LoopFolder folder;
    for (std::size_t i = 0; i < kLong; ++i) folder.push(static_cast<Hash>(symbol_at(i)));
    return folder.size();
  };
  EXPECT_EQ(feed([](std::size_t i) { return i; }), kLong);
  EXPECT_EQ(feed([](std::size_t) { return 1; }), 1U);
  EXPECT_LE(feed([](std::size_t i) { return __builtin_popcountll(i) % 2; }), kLong);
  EXPECT_EQ(feed([](std::size_t i) { return __builtin_ctzll(i + 1); }), kLong);
  EXPECT_LE(feed([](std::size_t i) { return mix(3, i) % 2; }), kLong);
  std::string a = "a", b = "ab";
  while (b.size() < kLong) a = std::exchange(b, b + a);
  EXPECT_LE(feed([&](std::size_t i) { return b[i]; }), kLong);
  std::string nested = "a";
  for (char level = 'b'; nested.size() < kLong; ++level) nested += nested + level;
  EXPECT_LE(feed([&](std::size_t i) { return nested[i]; }), 40U);
  EXPECT_LE(feed([](std::size_t i) { return i % 1000 == 999 ? i : i % 1000; }), kLong);
}

}  // namespace
}  // namespace petri::reduce
