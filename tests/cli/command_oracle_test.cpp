#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <thread>

#include "harness/cli/command.hpp"
#include "harness/cli/command_oracle.hpp"
#include "harness/cli/words.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

using reduce::Answer;
namespace fs = std::filesystem;

Answer answer_of(const std::string& command, double limit_s = 30) {
  return CommandOracle(command, limit_s).ask(Scenario(2), {}).answer;
}

TEST(Words, AreQuotedAsInAShell) {
  EXPECT_THAT(split_words("  a 'b \"c\"' \"d \\\" \\x\"e\\ f ''\n"),
              ::testing::ElementsAre("a", "b \"c\"", "d \" \\xe f", ""));
  EXPECT_THAT(split_words("$(x) *"), ::testing::ElementsAre("$(x)", "*"));
  for (const char* broken : {"'a", "\"a", "a\\"}) EXPECT_THROW(split_words(broken), UsageError) << broken;
}

TEST(Words, WhatAShellWouldTakeForItsOwnIsFound) {
  const auto found = [](const char* command) { return shell_operator_in(command); };
  EXPECT_EQ(found("grep x | wc"), "|");
  EXPECT_EQ(found("a&&b"), "&&");
  EXPECT_EQ(found("a 2> b"), "2>");
  EXPECT_EQ(found("a b2>c"), ">");
  EXPECT_EQ(found("a >>b"), ">>");
  for (const char* text : {"grep 'a|b'", "grep \"a;b\" c", "a \\| b", "a $(x) * ~"}) EXPECT_EQ(found(text), "") << text;
}

TEST(CommandOracle, ExitStatusZeroIsInteresting) {
  EXPECT_EQ(answer_of("true"), Answer::reproduces);
  EXPECT_EQ(answer_of("false"), Answer::passes);
  EXPECT_EQ(answer_of("sh -c 'exit 125'"), Answer::unresolved);
  EXPECT_EQ(answer_of("sh -c 'kill -9 $$'"), Answer::passes);
}

TEST(CommandOracle, TheCandidateIsInTheFolderAndTheLastArgument) {
  EXPECT_EQ(answer_of("sh -c 'test \"$1\" = \"$PWD/scenario.jsonl\" && grep -q .world.:2 scenario.jsonl' oracle"),
            Answer::reproduces);
}

TEST(CommandOracle, TheFolderIsRemoved) {
  std::string pattern = (fs::temp_directory_path() / "petri_oracle_XXXXXX").string();
  const fs::path here = mkdtemp(pattern.data());
  ASSERT_EQ(answer_of("sh -c 'echo junk > junk; pwd > " + (here / "folder").string() + "' oracle"), Answer::reproduces);
  std::string folder;
  std::getline(std::ifstream(here / "folder") >> std::ws, folder);
  EXPECT_FALSE(folder.empty());
  EXPECT_FALSE(fs::exists(folder));
  fs::remove_all(here);
}

TEST(CommandOracle, ARunThatTakesTooLongIsNoAnswer) {
  EXPECT_EQ(answer_of("sh -c 'sleep 1000 & sleep 1000'", 0.2), Answer::unresolved);
}

TEST(CommandOracle, AnAnswerThatIsOfNoMoreUseIsNotWaitedFor) {
  std::stop_source stop;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(CommandOracle("sh -c 'sleep 1000 & sleep 1000'", 300).ask(Scenario(2), stop.get_token()).answer,
            Answer::stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
  later.join();
}

TEST(CommandOracle, WhatAProgramLeavesRunningEndsWithIt) {
  EXPECT_EQ(answer_of("sh -c 'setsid sleep 1000 & exit 0'"), Answer::reproduces);
}

TEST(CommandOracle, AProgramMayChangeItsCopyOrRemoveItsFolder) {
  EXPECT_EQ(answer_of("sh -c 'echo > scenario.jsonl'"), Answer::reproduces);
  EXPECT_EQ(answer_of("sh -c 'cd / && rm -r \"$(dirname \"$1\")\"' oracle"), Answer::reproduces);
}

TEST(CommandOracle, TellsWhatTheProgramDidAndKeepsItsFolder) {
  std::string pattern = (fs::temp_directory_path() / "petri_oracle_XXXXXX").string();
  const fs::path here = mkdtemp(pattern.data());
  const CommandOracle oracle("sh -c 'echo out; echo err >&2; echo junk > junk; exit 3'", 30);
  const CommandOracle::Told told = oracle.tell(Scenario(2), here / "kept");
  EXPECT_EQ(told.judgement.answer, Answer::passes);
  EXPECT_THAT(told.how, ::testing::HasSubstr("exit status 3"));
  EXPECT_EQ(told.output, "out\nerr\n");
  EXPECT_TRUE(fs::exists(here / "kept" / "junk"));
  EXPECT_TRUE(fs::exists(here / "kept" / "scenario.jsonl"));
  fs::remove_all(here);
}

TEST(CommandOracle, OfMuchOutputTheEndIsTold) {
  const CommandOracle oracle("sh -c 'seq 1 300000; exit 1'", 60);
  const std::string output = oracle.tell(Scenario(2), {}).output;
  EXPECT_TRUE(output.ends_with("300000\n"));
  EXPECT_LT(output.size(), 100000U);
}

TEST(CommandOracle, AnotherProgramHasAnotherDigest) {
  std::string pattern = (fs::temp_directory_path() / "petri_oracle_XXXXXX").string();
  const fs::path here = mkdtemp(pattern.data());
  std::ofstream(here / "check.sh") << "exit 0\n";
  const CommandOracle oracle("sh " + (here / "check.sh").string(), 30);
  const std::string before = oracle.digest();
  EXPECT_EQ(oracle.digest(), before);
  std::ofstream(here / "check.sh") << "exit 1\n";
  EXPECT_NE(oracle.digest(), before);
  fs::remove_all(here);
}

TEST(CommandOracle, ACommandThatIsNotThereIsAnError) {
  EXPECT_THROW(answer_of("no-such-program-of-petri"), EnvironmentError);
  EXPECT_THROW(answer_of(" "), UsageError);
}

}  // namespace
}  // namespace petri::cli
