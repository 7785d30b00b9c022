// Writing and reading again: the same scenario, the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/trace/equal.hpp"
#include "tests/trace/text.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

static_assert(sizeof(Event) == 56, "what read.hpp states of the memory of an event");

// Every key, in the order in which the writer puts them.
std::string everything() {
  std::ifstream in(PETRI_TEST_DATA "/everything.jsonl", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(RoundTrip, KeepsEveryKey) {
  const std::string text = everything();
  ASSERT_FALSE(text.empty());
  const Scenario scenario = read_text(text);
  EXPECT_EQ(written(scenario), text);
  EXPECT_TRUE(equal(scenario, read_text(written(scenario))));
}

TEST(RoundTrip, IgnoresTheOrderOfKeysAndOfRanks) {
  const std::string sorted =
      "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"send\",\"peer\":1}\n{\"rank\":0,\"op\":\"barrier\"}\n"
      "{\"rank\":1,\"op\":\"recv\",\"peer\":0}\n{\"end\":true,\"events\":3}\n";
  const std::string mixed =
      "{\"world\":2,\"petri\":1}\n{\"peer\":0,\"op\":\"recv\",\"rank\":1}\r\n\n{\"op\":\"send\",\"peer\":1,\"rank\":0}"
      "\n"
      "{\"op\" : \"barrier\", \"rank\" : 0}\n{\"events\":3,\"end\":true}";
  EXPECT_EQ(written(read_text(mixed)), sorted);
}

TEST(Read, FillsTheEvent) {
  const Scenario scenario = read_text(everything());
  EXPECT_EQ(scenario.world(), 3);
  EXPECT_FALSE(scenario.cut);
  const Event& send = scenario.ranks[0].events[0];
  EXPECT_EQ(send.op, Op::isend);
  EXPECT_EQ(scenario.comm_of(send).name, "dp0");
  EXPECT_EQ(send.count, 9007199254740993);
  EXPECT_EQ(send.dtype, ElementType::float32);
  EXPECT_EQ(send.request, 7U);
  EXPECT_EQ(send.state, EventState::completed);
  EXPECT_EQ(scenario.site_of(send), "train.cpp:7");
  const Event& split = scenario.ranks[0].events[1];
  EXPECT_EQ(split.extras.color(), kNull);
  EXPECT_FALSE(scenario.comms.at(static_cast<std::size_t>(split.extras.new_comm())).known);
  EXPECT_EQ(scenario.ranks[0].events[2].extras.recvpeer(), kAny);
  const EventExtras& bcast = scenario.ranks[1].events[4].extras;
  EXPECT_TRUE(std::signbit(bcast.values().at(1)));
  EXPECT_TRUE(std::isnan(bcast.values().at(3)));
  EXPECT_THAT(bcast.free_keys(), ElementsAre(Pair("x_free", "\"é\"")));
  EXPECT_THAT(scenario.header.free_keys, ElementsAre(Pair("x_note", R"({"a" : [1, 2.50]})")));
  EXPECT_EQ(scenario.ranks[0].end.kind, EndKind::signal);
  EXPECT_EQ(scenario.ranks[0].end.signal, 9);
  EXPECT_FALSE(scenario.ranks[2].end.stated);
}

TEST(Read, TakesAbsentForAnOutcome) {
  const Scenario scenario = read_text("{\"petri\":1,\"world\":1,\"expect\":\"absent\"}\n{\"end\":true,\"events\":0}\n");
  EXPECT_TRUE(scenario.header.expect->absent);
  EXPECT_NE(written(scenario).find(R"("expect":"absent")"), std::string::npos);
}

TEST(Read, KeepsTheBitsOfEveryValue) {
  const double values[] = {0.1, 1e308, 5e-324, 1.0 / 3, 123456789012345680.0, -0.0};
  Scenario scenario(1);
  Event event;
  event.extras.set_values({std::begin(values), std::end(values)});
  scenario.ranks[0].events.push_back(event);
  const Scenario back = read_text(written(scenario));
  const auto& got = back.ranks[0].events[0].extras.values();
  ASSERT_EQ(got.size(), std::size(values));
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(values[i]));
}

TEST(Write, ReplacesTextThatIsNoUtf8) {
  Scenario scenario(1);
  scenario.header.job = "a\xff";
  EXPECT_EQ(read_text(written(scenario)).header.job, "a\xef\xbf\xbd");
}

// What would steer or reorder the text of a terminal; as text it is the same.
TEST(RoundTrip, WritesCharactersThatReorderTextByTheirCode) {
  const std::string raw =
      "{\"petri\":1,\"job\":\"a\xe2\x80\xae\x7f\xc2\x85 \xc3\xa9\",\"world\":1,\"x_free\":\"\xe2\x80\xae\"}\n";
  const Scenario scenario = read_text(raw + "{\"end\":true,\"events\":0}\n");
  EXPECT_EQ(scenario.header.job, "a\xe2\x80\xae\x7f\xc2\x85 \xc3\xa9");
  const std::string text = written(scenario);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "{\"petri\":1,\"job\":\"a\\u202e\\u007f\\u0085 \xc3\xa9\",\"world\":1,\"x_free\":\"\\u202e\"}");
  EXPECT_EQ(read_text(text).header.job, scenario.header.job);
}

TEST(Read, LetsAnEventUseACommunicatorOnceItsCreationWasNamed) {
  const Scenario scenario = read_text(
      "{\"petri\":1,\"world\":2}\n{\"rank\":0,\"op\":\"comm_dup\",\"new\":\"d\"}\n"
      "{\"rank\":0,\"op\":\"bcast\",\"comm\":\"d\",\"root\":9}\n{\"end\":true}\n");
  EXPECT_FALSE(scenario.comm_of(scenario.ranks[0].events[1]).known);
}

TEST(RoundTrip, KeepsACommunicatorWhoseMembersAreUnknown) {
  const std::string text =
      "{\"petri\":1,\"world\":2}\n{\"comm\":\"inter\",\"ranks\":\"unknown\"}\n"
      "{\"rank\":0,\"op\":\"barrier\",\"comm\":\"inter\"}\n{\"end\":true,\"events\":1}\n";
  const Scenario scenario = read_text(text);
  EXPECT_FALSE(scenario.comm_of(scenario.ranks[0].events[0]).known);
  EXPECT_EQ(written(scenario), text);
}

TEST(Read, TakesListsWithSpacesAndRejectsBrokenOnes) {
  const auto with = [](const std::string& counts) {
    return "{\"petri\":1,\"world\":2}\n{\"rank\":1,\"op\":\"alltoallv\",\"sendcounts\":" + counts +
           ",\"step\":3}\n{\"end\":true,\"events\":1}\n";
  };
  for (const char* const spaced : {"[ 10,0]", "[10 ,0]", "[10, 0]", "[10,0 ]"})
    EXPECT_EQ(written(read_text(with(spaced))), written(read_text(with("[10,0]")))) << spaced;
  EXPECT_NE(error_of(with("[10,0}")), "");
  EXPECT_NE(error_of(with("[10,0")), "");
  EXPECT_NE(error_of(with("[10,-1]")), "");
  EXPECT_NE(error_of(with("[10,00]")), "");
  EXPECT_NE(error_of(with("[10,]")), "");
}

}  // namespace
}  // namespace petri::test
