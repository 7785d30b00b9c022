#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/cli/command.hpp"
#include "harness/cli/oracles.hpp"
#include "harness/cli/words.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

using reduce::Answer;
namespace fs = std::filesystem;

Answer answer_of(const std::string& command, double limit_s = 30) {
  return command_oracle(command, limit_s)(Scenario(2)).answer;
}

TEST(Words, AreQuotedAsInAShell) {
  EXPECT_THAT(split_words("  a 'b \"c\"' \"d \\\" \\x\"e\\ f ''\n"),
              ::testing::ElementsAre("a", "b \"c\"", "d \" \\xe f", ""));
  EXPECT_THAT(split_words("$(x) *"), ::testing::ElementsAre("$(x)", "*"));
  for (const char* broken : {"'a", "\"a", "a\\"}) EXPECT_THROW(split_words(broken), UsageError) << broken;
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

TEST(CommandOracle, ACommandThatIsNotThereIsAnError) {
  EXPECT_THROW(answer_of("no-such-program-of-petri"), EnvironmentError);
  EXPECT_THROW(answer_of(" "), UsageError);
}

}  // namespace
}  // namespace petri::cli
