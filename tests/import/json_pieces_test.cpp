// Cutting JSON files into pieces: wherever a read ends, and whatever the strings hold.
#include "harness/import/json_pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/trace/error.hpp"
#include "tests/import/memory_trace.hpp"

namespace petri::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Cut {
  std::vector<std::string> pieces;  // "key=text" of a member, the text of an element
  std::vector<std::size_t> lines;
  bool cut = false;
};

Cut cut(const std::string& text, std::size_t at_once) {
  MemoryStream stream(text, at_once);
  JsonPieces pieces(stream, "trace.json", "events", {"info"});
  Cut found;
  JsonPiece piece;
  while (pieces.next(piece)) {
    found.pieces.push_back((piece.key.empty() ? "" : std::string(piece.key) + "=") + std::string(piece.text));
    found.lines.push_back(piece.line);
  }
  found.cut = pieces.cut();
  return found;
}

std::string error_of(const std::string& text) {
  try {
    cut(text, 7);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

class ReadAtOnce : public testing::TestWithParam<std::size_t> {};

TEST_P(ReadAtOnce, TheListAndWhatIsWantedIsFoundAndTheRestLeftOut) {
  const Cut found = cut(R"({"skip": {"events": [1]}, "info":{"a":[1,2]},
    "events" : [ {"x":"}"}, [2], "three",
      4 ], "more": -1.5e3, "info": null})",
                        GetParam());
  EXPECT_THAT(found.pieces, ElementsAre(R"(info={"a":[1,2]})", R"({"x":"}"})", "[2]", R"("three")", "4", "info=null"));
  EXPECT_THAT(found.lines, ElementsAre(1, 2, 2, 2, 3, 3));
  EXPECT_FALSE(found.cut);
}

TEST_P(ReadAtOnce, BracketsAndQuotesInStringsAreText) {
  const Cut found = cut(R"({"\"{":"[","events":[{"a\\":"]}\"","b":"\\\\"},{"c":"\\\"}"}]})", GetParam());
  EXPECT_THAT(found.pieces, ElementsAre(R"({"a\\":"]}\"","b":"\\\\"})", R"({"c":"\\\"}"})"));
}

TEST_P(ReadAtOnce, AFileMayBeOneList) {
  EXPECT_THAT(cut("\n[{},{\"a\":1}]", GetParam()).pieces, ElementsAre("{}", "{\"a\":1}"));
}

TEST_P(ReadAtOnce, AFileThatBreaksOffGivesWhatIsWhole) {
  const std::string text = R"({"events":[{"a":"b"},{"c":"d)";
  for (std::size_t end = 12; end <= text.size(); ++end) {
    const Cut found = cut(text.substr(0, end), GetParam());
    EXPECT_TRUE(found.cut) << end;
    EXPECT_EQ(found.pieces.size(), end < 20 ? 0U : 1U) << end;
  }
}

TEST_P(ReadAtOnce, AMissingValueIsAnEmptyPiece) {
  EXPECT_THAT(cut(R"({"info": , "events":[]})", GetParam()).pieces, ElementsAre("info="));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ReadAtOnce, testing::Values(1, 2, 3, 17, 1 << 20));

TEST(JsonPieces, APieceLongerThanAReadIsWhole) {
  const std::string big = "{\"a\":\"" + std::string(5 << 20, 'x') + "\"}";
  const Cut found = cut("{\"events\":[" + big + ",1]}", 100000);
  ASSERT_EQ(found.pieces.size(), 2U);
  EXPECT_EQ(found.pieces[0], big);
}

TEST(JsonPieces, WhatIsNoJsonIsAnErrorWithItsLine) {
  EXPECT_THAT(error_of("hello"), HasSubstr("trace.json:1: a JSON object was expected"));
  EXPECT_THAT(error_of("  "), HasSubstr("the file is empty"));
  EXPECT_THAT(error_of("{\"events\":[\n{\"a\":[1}\n]}"), HasSubstr("trace.json:2: \"]\" was expected"));
  EXPECT_THAT(error_of("{\n\n7}"), HasSubstr("trace.json:3: a key was expected"));
  EXPECT_THAT(error_of("{\"a\" 7}"), HasSubstr("\":\" was expected"));
  EXPECT_THAT(error_of("{\"events\":[}"), HasSubstr("an element of a list was expected"));
  EXPECT_THAT(error_of("{\"a\":" + std::string(2000, '[')), HasSubstr("nest more than 1024 deep"));
}

TEST(JsonPieces, ManyListsOfOneNameNeedNoDepth) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += "\"events\":[],";
  EXPECT_TRUE(cut(text + "\"z\":0}", 1 << 16).pieces.empty());
}

}  // namespace
}  // namespace petri::test
