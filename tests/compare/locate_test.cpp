#include "harness/compare/locate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include "harness/trace/read.hpp"

namespace petri::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A call of one rank, with what it had and what it got.
std::string call(int rank, int step, const std::string& in, const std::string& out, const std::string& comm = "world") {
  const auto summary = [](const std::string& key, const std::string& digest) {
    return digest.empty() ? "" : ",\"" + key + "\":{\"digest\":\"xxh3-128:" + digest + "\"}";
  };
  return "{\"rank\":" + std::to_string(rank) + ",\"op\":\"allreduce\",\"comm\":\"" + comm +
         "\",\"count\":4,\"dtype\":\"float32\",\"reduce\":\"sum\",\"step\":" + std::to_string(step) +
         summary("in", in) + summary("out", out) + "}\n";
}

Scenario recording(const std::string& calls, int world = 2) {
  std::istringstream text("{\"petri\":1,\"world\":" + std::to_string(world) + "}\n{\"comm\":\"a\",\"ranks\":[0,1]}\n" +
                          calls + "{\"end\":true}\n");
  return read_scenario(text, "recording");
}

TEST(Locate, FindsNothingInTheSameNumbers) {
  const Scenario one = recording(call(0, 1, "aa", "cc") + call(1, 1, "bb", "cc"));
  const auto found = locate(one, one);
  EXPECT_FALSE(found.first);
  EXPECT_FALSE(found.other_call);
  EXPECT_EQ(found.compared, 4U);
  EXPECT_EQ(found.differing, 0U);
}

TEST(Locate, TellsACallThatPartsTheNumbersItself) {
  const auto found = locate(recording(call(0, 1, "aa", "cc") + call(1, 1, "bb", "cc")),
                            recording(call(0, 1, "aa", "dd") + call(1, 1, "bb", "dd")));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->inputs, Inputs::same);
  EXPECT_THAT(found.first->input_ranks, IsEmpty());
  EXPECT_THAT(found.first->result_ranks, ElementsAre(0, 1));
  EXPECT_EQ(found.differing, 2U);
}

TEST(Locate, TellsInputsThatDifferedBefore) {
  const auto found = locate(recording(call(0, 1, "aa", "cc") + call(1, 1, "bb", "cc")),
                            recording(call(0, 1, "aa", "dd") + call(1, 1, "ee", "dd")));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->inputs, Inputs::differ);
  EXPECT_THAT(found.first->input_ranks, ElementsAre(1));
}

TEST(Locate, DoesNotKnowOfInputsThatSomeRankDidNotRecord) {
  const auto found = locate(recording(call(0, 1, "aa", "cc") + call(1, 1, "", "cc")),
                            recording(call(0, 1, "aa", "dd") + call(1, 1, "", "dd")));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->inputs, Inputs::unknown);
}

TEST(Locate, TakesTheEarliestStepOfAllRanksAndCommunicators) {
  const std::string late = call(0, 5, "aa", "cc") + call(0, 7, "aa", "cc", "a");
  const auto found = locate(recording(late + call(1, 5, "aa", "cc") + call(1, 6, "aa", "cc", "a")),
                            recording(call(0, 5, "aa", "cc") + call(0, 7, "xx", "cc", "a") + call(1, 5, "aa", "cc") +
                                      call(1, 6, "aa", "yy", "a")));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->calls.size(), 2U);  // both ranks' parts of the one call on "a"
  EXPECT_THAT(found.first->input_ranks, ElementsAre(0));
  EXPECT_THAT(found.first->result_ranks, ElementsAre(1));
}

TEST(Locate, StopsPairingWhereOtherCallsAreMade) {
  const std::string barrier = "{\"rank\":1,\"op\":\"barrier\"}\n";
  const auto found = locate(recording(call(0, 1, "aa", "cc") + call(1, 1, "aa", "cc")),
                            recording(call(0, 1, "aa", "cc") + barrier + call(1, 1, "xx", "yy")));
  EXPECT_FALSE(found.first);
  ASSERT_TRUE(found.other_call);
  EXPECT_EQ(found.other_call->one, (EventRef{1, 0}));
}

TEST(Locate, RefusesOtherNumbersOfRanks) {
  EXPECT_THROW(locate(recording(""), recording("", 3)), std::invalid_argument);
}

}  // namespace
}  // namespace petri::compare
