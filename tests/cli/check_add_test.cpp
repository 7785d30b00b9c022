// petri check --add: filing a reproducer.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/trace/read.hpp"
#include "harness/trace/reproducer_command.hpp"
#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSignature = "deadlock: A(allreduce@0 meets B) B(barrier@0 meets A)";

// Two ranks with two calls, swapped or not.
std::string scenario(const std::string& header, bool swapped = true) {
  const std::string reduce = R"("op":"allreduce","count":4,"dtype":"float32","reduce":"sum"})";
  const std::string barrier = R"("op":"barrier"})";
  return R"({"petri":1,"world":2,"backend":"mpi")" + header + "}\n" + R"({"rank":0,)" + reduce + "\n" +
         R"({"rank":0,)" + barrier + "\n" + R"({"rank":1,)" + (swapped ? barrier : reduce) + "\n" + R"({"rank":1,)" +
         (swapped ? reduce : barrier) + "\n{\"end\":true,\"events\":4}\n";
}

std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), folder).string());
  return files;
}

TEST(CheckAdd, MakesAReproducerThatIsMet) {
  const Scratch scratch;
  scratch.write("found.min.jsonl", scenario(""));
  const Ran run = scratch.petri({"check", "--add", "found.min.jsonl", "--to", "kept"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("filed: kept/found/"), HasSubstr(kSignature)));
  EXPECT_EQ(files_below(scratch.folder() / "kept"), (std::set<std::string>{"found/README.md", "found/scenario.jsonl"}));
  const Header header = read_scenario(scratch.folder() / "kept/found/scenario.jsonl").header;
  EXPECT_EQ(header.expect, (Outcome{Verdict::deadlock, kSignature, false}));
  EXPECT_EQ(header.origin->source, "found.min.jsonl");
  EXPECT_THAT(header.origin->digest, HasSubstr("xxh3-128:"));
  const std::string readme = scratch.read("kept/found/README.md");
  EXPECT_EQ(std::count(readme.begin(), readme.end(), '\n'), 3) << readme;
  EXPECT_THAT(readme, AllOf(HasSubstr("From found.min.jsonl."), HasSubstr("Expected: deadlock.")));
  EXPECT_EQ(scratch.petri({"check", "--model-only", "kept"}).status, 0);
}

TEST(CheckAdd, KeepsTheOriginThatTheScenarioHas) {
  const Scratch scratch;
  scratch.write("a.jsonl", scenario(R"(,"origin":{"source":"job 7","digest":"xxh3-128:00","ranks":[3,511]})"));
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--name", "swap"}).status, 0);
  const Header header = read_scenario(scratch.folder() / "scenarios/swap/scenario.jsonl").header;
  EXPECT_EQ(header.origin, (Origin{"job 7", "xxh3-128:00", {3, 511}}));
  EXPECT_THAT(scratch.read("scenarios/swap/README.md"), HasSubstr("From job 7, where its ranks were 3, 511."));
}

TEST(CheckAdd, FilesTheProgramAsItsUserNamedIt) {
  const Scratch scratch;
  scratch.write("a.jsonl", scenario(""));
  const Ran run = scratch.petri({"check", "--add", "a.jsonl", "--to", "kept", "--name", "x", "--ranks", "4", "--",
                                 "build/solver", "--add", "a b", "{ranks}", "$(y)"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("petri check --run-commands kept/x fails until"));
  const ReproducerCommand command = read_reproducer_command(scratch.folder() / "kept/x/reproducer.json");
  EXPECT_THAT(command.arguments, ElementsAre("../../build/solver", "--add", "a b", "{ranks}", "$(y)"));
  EXPECT_EQ(command.ranks, 4);
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--name", "y", "--", "solver"}).status, 0);
  EXPECT_EQ(scratch.read("scenarios/y/reproducer.json"), "{\"command\":[\"solver\"]}\n");
}

TEST(CheckAdd, WhatIsNoFailureIsRefusedUnlessItIsMeant) {
  const Scratch scratch;
  scratch.write("legal.jsonl", scenario("", false));
  const Ran refused = scratch.petri({"check", "--add", "legal.jsonl"});
  EXPECT_EQ(refused.status, 5);
  EXPECT_THAT(refused.err, HasSubstr("nothing is wrong in it"));
  EXPECT_FALSE(fs::exists(scratch.folder() / "scenarios"));
  EXPECT_EQ(scratch.petri({"check", "--add", "legal.jsonl", "--allow-no-failure"}).status, 0);
  EXPECT_EQ(scratch.petri({"check", "--model-only", "scenarios"}).status, 0);

  std::string unknown = scenario("");
  unknown.insert(unknown.find("{\"end\""), "{\"rank\":1,\"end\":\"missing\"}\n");
  unknown.erase(unknown.find(R"({"rank":1,"op")"),
                unknown.find(R"({"rank":1,"end")") - unknown.find(R"({"rank":1,"op")"));
  unknown.replace(unknown.find("\"events\":4"), 10, "\"events\":2");
  scratch.write("unknown.jsonl", unknown);
  EXPECT_EQ(scratch.petri({"check", "--add", "unknown.jsonl"}).status, 4);
}

TEST(CheckAdd, AnExpectationThatTheScenarioDoesNotMeetIsRefused) {
  const Scratch scratch;
  scratch.write("a.jsonl", scenario(R"(,"expect":{"verdict":"mismatch"})"));
  const Ran run = scratch.petri({"check", "--add", "a.jsonl"});
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("it expects mismatch, and shows " + kSignature));
}

TEST(CheckAdd, NothingIsOverwrittenAndNothingIsLeftHalfWritten) {
  const Scratch scratch;
  scratch.write("a.jsonl", scenario(""));
  scratch.write("cut.jsonl", scenario("").substr(0, 200));
  scratch.write("kept/a/README.md", "mine");
  const std::set<std::string> before = files_below(scratch.folder());
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "kept"}).status, 2);
  EXPECT_EQ(scratch.petri({"check", "--add", "cut.jsonl", "--to", "kept"}).status, 2);
  EXPECT_EQ(scratch.petri({"check", "--add", "missing.jsonl", "--to", "kept"}).status, 2);
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "a.jsonl"}).status, 3);
  for (const char* name : {"..", ".hidden", "x/y", "a\nb"})
    EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "kept", "--name", name}).status, 2) << name;
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "kept", "--name", "z", "--"}).status, 2);
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "kept", "--name", "z", "--ranks", "2"}).status, 2);
  EXPECT_EQ(files_below(scratch.folder()), before);
  EXPECT_FALSE(fs::exists(scratch.folder() / "kept/z"));
}

// Whoever fills a draft holds its lock, which ends with the process.
TEST(CheckAdd, WhatAKilledOneLeftIsClearedByTheNext) {
  const Scratch scratch;
  scratch.write("a.jsonl", scenario(""));
  scratch.write("kept/.petri-add-dead00/scenario.jsonl", "half a li");
  scratch.write("kept/.petri-add-lives0/scenario.jsonl", "half a li");
  const int lives = open((scratch.folder() / "kept/.petri-add-lives0").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(lives, LOCK_EX), 0);
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "kept"}).status, 0);
  EXPECT_EQ(files_below(scratch.folder() / "kept"),
            (std::set<std::string>{".petri-add-lives0/scenario.jsonl", "a/README.md", "a/scenario.jsonl"}));
  close(lives);
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "kept"}).status, 2);  // there already
  EXPECT_FALSE(fs::exists(scratch.folder() / "kept/.petri-add-lives0"));
}

TEST(CheckAdd, TheSameFailureFiledBeforeIsTold) {
  const Scratch scratch;
  scratch.write("a.jsonl", scenario(""));
  scratch.write("kept/broken/scenario.jsonl", "{");
  EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--to", "kept"}).status, 0);
  const Ran again = scratch.petri({"check", "--add", "a.jsonl", "--to", "kept", "--name", "b"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("note: kept/a/scenario.jsonl is the same failure"));
}

TEST(CheckAdd, OfManyOthersAFewAreNamed) {
  const Scratch scratch;
  scratch.write("a.jsonl", scenario(""));
  for (const char* name : {"a", "b", "c", "d", "e"})
    EXPECT_EQ(scratch.petri({"check", "--add", "a.jsonl", "--name", name}).status, 0);
  const Ran again = scratch.petri({"check", "--add", "a.jsonl", "--name", "f", "--ranks", "1", "--", "solver"});
  EXPECT_THAT(again.out, AllOf(HasSubstr("note: and 2 more"), HasSubstr("note: guards with 1 rank only")));
}

TEST(CheckAdd, HelpNeedsNoFile) {
  const Scratch scratch;
  const Ran run = scratch.petri({"check", "--add", "--help"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Usage: petri check --add FILE"));
}

TEST(CheckAdd, OneThatIsNamedScenarioTakesItsFoldersName) {
  const Scratch scratch;
  scratch.write("c 02/scenario.jsonl", scenario(""));
  EXPECT_EQ(scratch.petri({"check", "--add", "c 02/scenario.jsonl"}).status, 0);
  EXPECT_TRUE(fs::exists(scratch.folder() / "scenarios/c 02/scenario.jsonl"));
}

}  // namespace
}  // namespace petri::cli::testing
