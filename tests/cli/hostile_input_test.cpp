// What a scenario's texts may hold must not steer the terminal of whoever looks at it, or break a document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// In every text of a scenario: escape, bell, a C1 control sequence introducer, a right-to-left override, a line break.
const std::string kNasty = R"(\u001b[31mn\u0007\u009b2J\u202etxt\n*/ \"x)";

std::string nasty_scenario() {
  std::string text = R"({"petri":1,"job":"@","world":3,"hosts":["@","@","@"],"environment":{"@":"@"},"x_note":"@"}
{"comm":"@","ranks":[0,1],"label":"@"}
{"rank":0,"op":"win_create","win":"@w","site":"@"}
{"rank":0,"op":"file_open","file":"@f","path":"@","mode":"create,wronly"}
{"rank":0,"op":"allreduce","comm":"@","count":4,"dtype":"int32","reduce":"sum","value":"@","category":"@","site":"@:1"}
{"rank":0,"op":"barrier","stream":"@"}
{"rank":0,"op":"event_record","stream":"@","event":"@","x_mine":"@"}
{"rank":0,"op":"stream_sync","stream":"@"}
{"rank":1,"op":"win_create","win":"@w","site":"@"}
{"rank":1,"op":"file_open","file":"@f","path":"@","mode":"create,wronly"}
{"rank":1,"op":"comm_dup","comm":"@","new":"@d","error":"@"}
{"rank":2,"op":"win_create","win":"@w"}
{"rank":2,"op":"file_open","file":"@f","path":"other @","mode":"create,wronly"}
{"end":true,"events":11}
)";
  for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos; at += kNasty.size())
    text.replace(at, 1, kNasty);
  return text;
}

void expect_harmless(const std::string& text, const std::string& where) {
  for (const char* control : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae", "\x7f"})
    EXPECT_THAT(text, Not(HasSubstr(control))) << where;
}

TEST(HostileInput, SteersNoTerminal) {
  const Scratch scratch;
  scratch.write("case.jsonl", nasty_scenario());
  const std::vector<std::vector<std::string>> commands{
      {"diagnose", "case.jsonl"},
      {"diagnose", "--json", "case.jsonl"},
      {"show", "case.jsonl"},
      {"show", "--all", "case.jsonl"},
      {"shrink", "--no-live", "-o", "small.jsonl", "case.jsonl"},
      {"shrink", "--no-live", "--json", "-o", "again.jsonl", "case.jsonl"},
      {"export", "--to", "c", "case.jsonl"},
      {"replay", "case.jsonl"},
      {"check", "--model-only", "--allow-no-expect", "case.jsonl"},
      {"check", "--model-only", "--allow-no-expect", "--json", "--junit", "report.xml", "case.jsonl"},
  };
  for (const auto& command : commands) {
    const Ran ran = scratch.petri(command);
    const std::string words = ::testing::PrintToString(command);
    EXPECT_NE(ran.out + ran.err, "") << words;
    EXPECT_LT(ran.status, 128) << words;
    expect_harmless(ran.out, words);
    expect_harmless(ran.err, words);
  }
}

TEST(HostileInput, SteersNoTerminalFromAMessageAboutIt) {
  const Scratch scratch;
  for (const char* line : {R"({"rank":0,"op":"@"})", R"({"rank":0,"op":"barrier","comm":"@"})", R"({"@":1})",
                           R"({"rank":0,"op":"barrier","@":1})", "\x1b]0;title\x07"}) {
    std::string text = line;
    if (const auto at = text.find('@'); at != std::string::npos) text.replace(at, 1, kNasty);
    scratch.write("case.jsonl", "{\"petri\":1,\"world\":1}\n" + text + "\n");
    const Ran ran = scratch.petri({"diagnose", "case.jsonl"});
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_THAT(ran.err, HasSubstr("case.jsonl:2:")) << line;
    expect_harmless(ran.err, line);
  }
}

// With an answer, whatever the size that a header asks for: what no program writes, and what some editors do.
TEST(HostileInput, GetsAnAnswer) {
  const Scratch scratch;
  const auto diagnosed = [&](const std::string& text) {
    scratch.write("case.jsonl", text);
    return scratch.petri({"diagnose", "case.jsonl"}, 60);
  };
  const std::string header = "{\"petri\":1,\"world\":2}\n";
  EXPECT_EQ(
      diagnosed("\xef\xbb\xbf{\"petri\":1,\"world\":1}\r\n\r\n{\"rank\":0,\"op\":\"barrier\"}\r\n{\"end\":true}\r\n")
          .status,
      0);
  EXPECT_EQ(diagnosed(header + std::string("{\"rank\":0,\"op\":\"bar\0rier\"}\n", 28)).status, 2);
  EXPECT_EQ(diagnosed(header + "{\"rank\":0,\"op\":\"barrier\",\"site\":\"\xff\xfe\"}\n").status, 2);
  EXPECT_EQ(diagnosed(header + "{\"rank\":0,\"op\":\"barrier\",\"rank\":0}\n").status, 2);
  EXPECT_EQ(diagnosed(header + "{\"rank\":0,\"op\":\"barrier\",\"x_deep\":" + std::string(100000, '[') + "}\n").status,
            2);
  EXPECT_EQ(diagnosed(header + "{\"rank\":0,\"op\":\"bcast\",\"root\":0,\"count\":1e400}\n").status, 2);
  const Ran large = diagnosed("{\"petri\":1,\"world\":131072}\n{\"rank\":7,\"op\":\"barrier\"}\n{\"end\":true}\n");
  EXPECT_EQ(large.status, 10) << large.err;
}

}  // namespace
}  // namespace petri::cli::testing
