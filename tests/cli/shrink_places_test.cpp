// Where petri shrink writes: its result, its journal, what it found on the way.
#include <gmock/gmock.h>

#include <filesystem>

#include "harness/trace/read.hpp"
#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ShrinkPlaces, TheResultGoesToStandardOutputByADash) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "hang.jsonl"}).status, 0);
  const Ran run = scratch.petri({"shrink", "--no-live", "-o", "-", "hang.jsonl"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, scratch.read("small.jsonl"));
  EXPECT_THAT(run.err, HasSubstr("1-minimal"));
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "-"));
  EXPECT_EQ(scratch.petri({"shrink", "--no-live", "--json", "-o", "-", "hang.jsonl"}).status, 2);
  for (const char* command : {"replay", "record"})
    EXPECT_EQ(scratch.petri({command, "-o", "-", "hang.jsonl", "--", "true"}).status, 2) << command;
}

// The name is looked at before the input is read: what stands in its way is told.
TEST(ShrinkPlaces, AFolderGivesTheResultItsName) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.folder() / "ranks.of.mine" / "ranks.of.mine.min.jsonl");
  for (const char* input : {".", "./", "../ranks.of.mine/"}) {
    const Ran run = scratch.run({"sh", "-c", "cd ranks.of.mine && exec \"$@\"", "sh", PETRI_PROGRAM, "shrink", input});
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("ranks.of.mine.min.jsonl: cannot be written: is a folder")) << input;
  }
}

TEST(ShrinkPlaces, WhatAnEarlierRunFoundIsKept) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::vector<std::string> shrink{"shrink", "--no-live", "--also-found", "also", "hang.jsonl"};
  ASSERT_EQ(scratch.petri(shrink).status, 0);
  const std::string first = scratch.read("also/also-1.jsonl");
  ASSERT_FALSE(first.empty());
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(scratch.folder() / "also"),
                         std::filesystem::directory_iterator());
  };
  const auto before = files();
  ASSERT_EQ(scratch.petri(shrink).status, 0);
  EXPECT_EQ(files(), before) << "the same run finds the same";
  scratch.write("also/also-1.jsonl", "another run's\n");
  ASSERT_EQ(scratch.petri(shrink).status, 0);
  EXPECT_EQ(scratch.read("also/also-1.jsonl"), "another run's\n");
  EXPECT_EQ(files(), before + 1);
}

TEST(ShrinkPlaces, APlaceThatCannotBeWrittenIsToldBeforeTheWork) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  for (const char* output : {"missing/small.jsonl", "."}) {
    const Ran run = scratch.petri({"shrink", "--no-live", "--journal", "verdicts", "-o", output, "hang.jsonl"});
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("cannot be written"));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "verdicts"));
}

TEST(ShrinkPlaces, WritesToWhatIsNoFileAndBehindLinks) {
  const Scratch scratch;
  scratch.write("hang.jsonl", R"({"petri":1,"world":2,"backend":"mpi"}
{"rank":0,"op":"barrier"}
{"end":true,"events":1}
)");
  std::filesystem::create_symlink("real.jsonl", scratch.folder() / "link");
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "link", "hang.jsonl"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.folder() / "link"));
  const std::string shrunk = scratch.read("real.jsonl");
  EXPECT_THAT(shrunk, ::testing::HasSubstr("deadlock"));
  const char* const script = R"("$1" shrink --no-live -o /dev/fd/3 hang.jsonl 3>&1 >/dev/null | cat >piped.jsonl)";
  scratch.run({"sh", "-c", script, "sh", PETRI_PROGRAM});
  EXPECT_EQ(scratch.read("piped.jsonl"), shrunk);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.folder()), {}), 4) << "nothing else is left";
}

// By whatever name; before the work, and with nothing written.
TEST(ShrinkPlaces, TwoPlacesAreNeverOneFile) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  std::filesystem::create_symlink("small.jsonl", scratch.folder() / "link");
  std::filesystem::create_directory(scratch.folder() / "below");
  const std::string absolute = (scratch.folder() / "below" / ".." / "small.jsonl").string();
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"shrink", "--no-live"});
    more.emplace_back("hang.jsonl");
    const Ran run = scratch.petri(more);
    EXPECT_EQ(run.status, 2) << ::testing::PrintToString(more) << run.out;
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  for (const char* other : {"small.jsonl", "./small.jsonl", "link", "below/../small.jsonl", absolute.c_str()}) {
    EXPECT_THAT(refused({"-o", "small.jsonl", "--journal", other}), HasSubstr("-o and --journal are one place"));
    EXPECT_THAT(refused({"-o", other, "--also-found", "small.jsonl"}), HasSubstr("-o and --also-found are one"));
  }
  EXPECT_THAT(refused({"--journal", "x", "--also-found", "./x"}),
              HasSubstr("--journal and --also-found are one place"));
  EXPECT_THAT(refused({"-o", "x", "--oracle", "true", "--keep", "x"}), HasSubstr("-o and --keep are one place"));
  EXPECT_THAT(refused({"--also-found", "hang.jsonl"}), HasSubstr("hang.jsonl is no folder"));
  EXPECT_THAT(refused({"--journal", "./hang.jsonl", "--resume"}), HasSubstr("the original is kept"));
  std::filesystem::create_hard_link(scratch.folder() / "hang.jsonl", scratch.folder() / "same.jsonl");
  EXPECT_THAT(refused({"-o", "same.jsonl"}), HasSubstr("the original is kept"));
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "small.jsonl"));
  EXPECT_EQ(scratch.read("hang.jsonl"), extra_barrier());
}

TEST(ShrinkPlaces, PipesTakeWhatIsWrittenAndGiveWhatIsRead) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "hang.jsonl"}).status, 0);
  const auto shell = [&](const std::string& script) {
    const Ran run = scratch.run({"bash", "-c", script, "bash", PETRI_PROGRAM});
    EXPECT_EQ(run.status, 0) << script << run.err;
    const Scenario piped = read_scenario(scratch.folder() / "piped.jsonl");
    EXPECT_EQ(piped.event_count(), 2U) << script;
    std::filesystem::remove(scratch.folder() / "piped.jsonl");
  };
  shell(R"(set -o pipefail; cat hang.jsonl | "$1" shrink --no-live -o - /dev/stdin | cat > piped.jsonl)");
  shell(R"("$1" shrink --no-live -o >(cat > piped.jsonl) hang.jsonl > /dev/null; sleep 0.2)");
  shell(R"("$1" shrink --no-live -o - --journal verdicts hang.jsonl > piped.jsonl)");
  shell(R"(mkfifo pipe; cat pipe > piped.jsonl & "$1" shrink --no-live -o pipe hang.jsonl > /dev/null; wait)");
}

// What is known goes nowhere then, and is not looked for: no file appears beside what was named.
TEST(ShrinkPlaces, AResultThatGoesToAPipeHasNoJournalUnlessOneIsNamed) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::vector<std::string> stopped{"shrink", "--no-live", "--max-tests", "2", "-o", "-", "hang.jsonl"};
  const Ran run = scratch.petri(stopped);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("to go on:    by no means: what is known went nowhere; --journal FILE keeps it"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.folder()), {}), 1);
  std::vector<std::string> kept = stopped;
  kept.insert(kept.end(), {"--journal", "verdicts"});
  EXPECT_THAT(scratch.petri(kept).err, HasSubstr("what is known lies in verdicts"));
}

TEST(ShrinkPlaces, ANameThatPromisesAnotherCompressionIsRefused) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::vector<std::vector<std::string>> commands{
      {"shrink", "--no-live", "-o", "x.jsonl.gz", "hang.jsonl"},
      {"shrink", "--no-live", "--journal", "x.zst", "hang.jsonl"},
      {"import", "-o", "x.jsonl.xz", "hang.jsonl"},
      {"export", "--to", "c", "-o", "x.c.zst", "hang.jsonl"},
      {"check", "--model-only", "--junit", "x.xml.gz", "hang.jsonl"},
  };
  for (const auto& command : commands) {
    const Ran run = scratch.petri(command);
    EXPECT_EQ(run.status, 2) << ::testing::PrintToString(command);
    EXPECT_THAT(run.err, HasSubstr("plain text"));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.folder()), {}), 1);
}

}  // namespace
}  // namespace petri::cli::testing
