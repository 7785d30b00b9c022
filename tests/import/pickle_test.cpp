// Pickles are data: what Python writes of plain values is read, what would run is not, and no small file grows large.
#include "harness/import/pickle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

using namespace std::string_literals;

std::uint8_t length_of(std::string_view text) {
  return static_cast<std::uint8_t>(text.size());
}

// As Python's repr shows it; a container within eight others is "…".
std::string shown(const Pickle& pickle, PickleValue value, int depth = 0) {
  const auto all = [&](const char* open, const char* close, bool pairs) {
    std::string text = open;
    const auto items = pickle.items(value);
    for (std::size_t i = 0; i < items.size() && depth < 8; ++i)
      text += (i == 0 ? "" : pairs && i % 2 == 1 ? ": " : ", ") + shown(pickle, items[i], depth + 1);
    return (depth < 8 ? text : text + "…") + close;
  };
  switch (value.kind) {
    case PickleKind::none: return "None";
    case PickleKind::boolean: return value.number != 0 ? "True" : "False";
    case PickleKind::whole: return std::to_string(value.number);
    case PickleKind::wide: return "wide";
    case PickleKind::real: return fmt::format("{}", value.real());
    case PickleKind::text: return fmt::format("'{}'", pickle.text(value));
    case PickleKind::bytes: return fmt::format("b'{}'", pickle.text(value));
    case PickleKind::list: return all("[", "]", false);
    case PickleKind::tuple: return all("(", ")", false);
    case PickleKind::set: return all("{", "}", false);
    case PickleKind::dict: return all("{", "}", true);
    case PickleKind::unset: return "unset";
  }
  return "?";
}

std::string shown(const std::string& bytes, std::size_t open_kept = 2) {
  Pickle pickle(length_of);
  const PickleValue root = pickle.read("a", bytes, open_kept);
  return shown(pickle, root) + (pickle.cut() ? " cut" : "");
}

std::string reason(const std::string& bytes) {
  Pickle pickle(length_of);
  try {
    pickle.read("a", bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

// pickle.dumps({'a': [1, -2, 300, 70000, 2**40, True, None], 'b': ('x', 1.5, {}), 'c': 'x'}, protocol) of CPython 3.11.
TEST(Pickle, ReadsEachProtocolOfPython) {
  const std::string expected = "{'a': [1, -2, 300, 70000, 1099511627776, True, None], 'b': ('x', 1.5, {}), 'c': 'x'}";
  EXPECT_EQ(
      shown("(dp0\nVa\np1\n(lp2\nI1\naI-2\naI300\naI70000\naL1099511627776L\naI01\naNasVb\np3\n(Vx\np4\nF1.5\n(dp5\n"
            "tp6\nsVc\np7\ng4\ns."),
      expected);
  const std::string numbers = "K\x01J\xfe\xff\xff\xffM\x2c\x01J\x70\x11\x01\x00"s;
  const std::string real = "G\x3f\xf8\0\0\0\0\0\0"s;
  EXPECT_EQ(shown("\x80\x02}q\0(X\1\0\0\0aq\1]q\2("s + numbers + "\x8a\6\0\0\0\0\0\1\x88NeX\1\0\0\0bq\3X\1\0\0\0xq\4"s +
                  real + "}q\5\x87q\6X\1\0\0\0cq\7h\4u."s),
            expected);
  EXPECT_EQ(shown("\x80\x04\x95\x50\0\0\0\0\0\0\0}\x94(\x8c\1a\x94]\x94("s + numbers +
                  "\x8a\6\0\0\0\0\0\1\x88Ne\x8c\1b\x94\x8c\1x\x94"s + real + "}\x94\x87\x94\x8c\1c\x94h\4u."s),
            expected);
}

TEST(Pickle, ReadsTextsAsTheyAreEscapedByTheOldestProtocol) {
  EXPECT_EQ(shown("V\xe9 \\u20ac \\U0001f600 \\u005cn\n."), "'é € \U0001f600 \\n'");
  EXPECT_EQ(shown("S'it\\'s\\n\\x41'\n."), "'it's\nA'");
  EXPECT_EQ(shown("(S\"a\"\nU\1bT\1\0\0\0ct."s), "('a', 'b', 'c')");
  EXPECT_EQ(reason("Sa\n."), "a: byte 0: a text in quotes was expected");
}

TEST(Pickle, ReadsIntegersOfAnyWidth) {
  EXPECT_EQ(shown("\x8a\0."s), "0");
  EXPECT_EQ(shown("\x8a\1\xff."s), "-1");
  EXPECT_EQ(shown("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."s), "9223372036854775807");
  EXPECT_EQ(shown("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\0."s), "9223372036854775807");
  EXPECT_EQ(shown("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0."s), "wide");
  EXPECT_EQ(shown("\x8b\1\0\0\0\x80."s), "-128");
  EXPECT_EQ(shown("L123456789012345678901234567890L\n."), "wide");
  EXPECT_EQ(reason("\x8b\xff\xff\xff\xff."s), "a: byte 0: an integer of less than no bytes");
  EXPECT_EQ(reason("I1x\n."), "a: byte 0: an integer was expected");
}

TEST(Pickle, SaysOfEachTextWhatItsFunctionSays) {
  Pickle pickle(length_of);
  const PickleValue root = pickle.read("a", "\x80\x02(X\4\0\0\0fourX\0\0\0\0t."s);
  EXPECT_EQ(pickle.items(root)[0].word, 4);
  EXPECT_EQ(pickle.items(root)[1].word, 0);
}

TEST(Pickle, FillsContainersInPieces) {
  EXPECT_EQ(shown("](K\1K\2e(K\3eK\4a."s), "[1, 2, 3, 4]");
  EXPECT_EQ(shown("}X\1\0\0\0aK\1s(X\1\0\0\0bK\2u."s), "{'a': 1, 'b': 2}");
  EXPECT_EQ(shown("\x8f(K\1K\2\x90."s), "{1, 2}");
  const std::string by_turns = "(]q\0(K\1K\2e]q\1K\5ah\0(K\3eh\1(K\6K\7eh\0K\4at."s;
  EXPECT_EQ(shown(by_turns), "([1, 2, 3, 4], [5, 6, 7], [1, 2, 3, 4], [5, 6, 7], [1, 2, 3, 4])");
}

TEST(Pickle, KeepsOneOfAContainerThatIsReferredToAgain) {
  Pickle pickle(length_of);
  const PickleValue root = pickle.read("a", "(]q\0h\0t."s);
  pickle.note(pickle.items(root)[0]) = 7;
  EXPECT_EQ(pickle.note(pickle.items(root)[1]), 7u);
}

// Each operation that would import, construct or call, where it stands.
TEST(Pickle, RefusesWhatWouldRun) {
  EXPECT_EQ(reason("\x80\x02}cos\nsystem\n(X\2\0\0\0ls\x85R."s),
            "a: byte 3: GLOBAL would construct or call something; only plain data is read from a pickle");
  const std::pair<char, const char*> refused[] = {{'P', "PERSID"},         {'Q', "BINPERSID"},
                                                  {'R', "REDUCE"},         {'b', "BUILD"},
                                                  {'i', "INST"},           {'o', "OBJ"},
                                                  {'\x81', "NEWOBJ"},      {'\x82', "EXT1"},
                                                  {'\x83', "EXT2"},        {'\x84', "EXT4"},
                                                  {'\x92', "NEWOBJ_EX"},   {'\x93', "STACK_GLOBAL"},
                                                  {'\x97', "NEXT_BUFFER"}, {'\x98', "READONLY_BUFFER"}};
  for (const auto& [opcode, name] : refused)
    EXPECT_EQ(
        reason("\x80\x04N"s + opcode + "\0\0\0\0."s),
        fmt::format("a: byte 3: {} would construct or call something; only plain data is read from a pickle", name));
}

TEST(Pickle, RefusesWhatIsBroken) {
  EXPECT_EQ(reason(""), "a: is empty");
  EXPECT_EQ(reason("\x80\x06N."), "a: byte 0: a protocol later than 5 is not read");
  EXPECT_EQ(reason("\x80\x02\xff."), "a: byte 2: 0xff is no pickle opcode");
  EXPECT_EQ(reason("."), "a: a pickle of nothing");
  EXPECT_EQ(reason("h\0."s), "a: byte 0: refers to memo 0, where nothing was put");
  EXPECT_EQ(reason("Nr\xff\xff\xff\xff."), "a: byte 1: memo 4294967295 in a shorter file");
  EXPECT_EQ(reason("Nq\5h\4."), "a: byte 3: refers to memo 4, where nothing was put");
  EXPECT_EQ(reason("q\0."s), "a: byte 0: an operation on values that are not there");
  EXPECT_EQ(reason("}(Nu."), "a: byte 3: a key without a value");
  EXPECT_EQ(reason("](NNu."), "a: byte 4: items for a container of another kind");
  EXPECT_EQ(reason("(NNu."), "a: byte 3: items for nothing");
  EXPECT_EQ(reason("}e."), "a: byte 1: the end of items that have no beginning");
  EXPECT_EQ(reason("(](Na."), "a: byte 4: an operation on values that are not there");
  EXPECT_EQ(reason("](N\x86."), "a: byte 3: an operation on values that are not there");
}

TEST(Pickle, KeepsWhatIsWholeOfOneThatBreaksOff) {
  const std::string whole = "\x80\x02}(X\1\0\0\0aK\1X\1\0\0\0b](}(X\1\0\0\0cK\2u}(X\1\0\0\0dK\3ueu."s;
  EXPECT_EQ(shown(whole), "{'a': 1, 'b': [{'c': 2}, {'d': 3}]}");
  const auto cut_to = [&](std::size_t size) { return shown(whole.substr(0, size)); };
  EXPECT_EQ(cut_to(whole.size() - 1), "{'a': 1, 'b': [{'c': 2}, {'d': 3}]} cut");
  EXPECT_EQ(cut_to(whole.size() - 2), "{'a': 1, 'b': [{'c': 2}, {'d': 3}]} cut");
  EXPECT_EQ(cut_to(whole.size() - 3), "{'a': 1, 'b': [{'c': 2}, {'d': 3}]} cut");
  EXPECT_EQ(cut_to(whole.size() - 4), "{'a': 1, 'b': [{'c': 2}]} cut");
  EXPECT_EQ(cut_to(whole.size() - 12), "{'a': 1, 'b': [{'c': 2}]} cut");
  EXPECT_EQ(cut_to(whole.size() - 13), "{'a': 1, 'b': [{'c': 2}]} cut");
  EXPECT_EQ(cut_to(21), "{'a': 1, 'b': []} cut");
  EXPECT_EQ(cut_to(19), "{'a': 1} cut");
  EXPECT_EQ(cut_to(12), "{'a': 1} cut");
  EXPECT_EQ(cut_to(10), "{} cut");
  EXPECT_EQ(reason("\x80\x02"), "a: breaks off before there is anything in it");
}

TEST(Pickle, KeepsWhatIsWholeOfTheOldestProtocol) {
  const std::string whole = "(dp0\nVa\np1\nI1\nsVb\np2\n(lp3\n(dp4\nVc\np5\nI2\nsa(dp6\nVd\np7\nI3\nsas.";
  EXPECT_EQ(shown(whole), "{'a': 1, 'b': [{'c': 2}, {'d': 3}]}");
  EXPECT_EQ(shown(whole.substr(0, whole.size() - 6)), "{'a': 1, 'b': [{'c': 2}]} cut");
}

// Ten references to ten references, two hundred deep: no memory holds what this small file says, written out.
TEST(Pickle, ReferencesTakeNoMemory) {
  std::string bytes = "\x80\x02(]q\0"s;
  for (int level = 0; level < 200; ++level) {
    bytes += "](";
    for (int i = 0; i < 10; ++i) bytes += "h"s + static_cast<char>(level);
    bytes += "eq"s + static_cast<char>(level + 1);
  }
  Pickle pickle(length_of);
  const PickleValue root = pickle.read("a", bytes + "t.");
  ASSERT_EQ(pickle.items(root).size(), 201u);
  EXPECT_EQ(pickle.items(pickle.items(root).back()).size(), 10u);
}

TEST(Pickle, AContainerMayHoldItself) {
  EXPECT_EQ(shown("]q\0h\0a."s), "[[[[[[[[[…]]]]]]]]]");
}

TEST(Pickle, IsReadAgainAndAgainWithTheSameReader) {
  Pickle pickle(length_of);
  const std::string first = "(K\1K\2t."s, second = "}(X\1\0\0\0aNu."s;
  EXPECT_EQ(shown(pickle, pickle.read("a", first)), "(1, 2)");
  EXPECT_EQ(shown(pickle, pickle.read("b", second)), "{'a': None}");
  EXPECT_THROW(pickle.read("c", "(K\1"), InputError);
  EXPECT_EQ(shown(pickle, pickle.read("a", first)), "(1, 2)");
}

}  // namespace
}  // namespace petri
