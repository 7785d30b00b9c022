// petri record of jobs on two hosts, as a user runs it: hosts of namespaces on this machine, made without root where
// the kernel allows it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "harness/trace/read.hpp"
#include "tests/cli/petri_process.hpp"
#include "tests/support/mpi_environment.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kPrograms = PETRI_PROGRAMS;

const std::vector<std::string> kNamespaces{"unshare", "--user", "--map-root-user", "--net",       "--mount",
                                           "--pid",   "--fork", "--kill-child",    "--mount-proc"};

class TwoHosts : public ::testing::Test {
 protected:
  void SetUp() override {
    test::allow_root_and_oversubscription();
    const Ran probe = in_namespaces(
        {"sh", "-c", "mount -t tmpfs tmpfs /run && ip link add petri0 type bridge && ip netns add probe"});
    if (probe.status != 0) GTEST_SKIP() << "no network namespaces without root here: " << probe.err;
    fs::create_directory(work());
  }

  Ran in_namespaces(const std::vector<std::string>& command) const {
    std::vector<std::string> whole = kNamespaces;
    whole.insert(whole.end(), command.begin(), command.end());
    return scratch.run(whole);
  }

  // `petri record options -- mpirun words on both hosts`, from h1.
  Ran record(const std::vector<std::string>& options, const std::vector<std::string>& words) const {
    std::vector<std::string> command{"sh", PETRI_VIRTUAL_HOSTS, scratch.folder(), PETRI_PROGRAM, "record"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"-o", "out.jsonl", "--", "mpirun", "--host", "h1:2,h2:2"});
    command.insert(command.end(), words.begin(), words.end());
    return in_namespaces(command);
  }

  fs::path work() const { return scratch.folder() / "work"; }
  Scenario recorded() const { return read_scenario(work() / "out.jsonl"); }

  std::vector<std::string> files_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    return names;
  }

  Scratch scratch;
};

TEST_F(TwoHosts, AHangAcrossHostsIsProvedFromAFolderThatTheyShare) {
  const Ran ran = record({}, {kPrograms + "/program_uneven_batches"});
  ASSERT_EQ(ran.status, 10) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("as no rank can go on"));
  EXPECT_THAT(ran.err, HasSubstr("begun by rank 3"));
  const Scenario scenario = recorded();
  EXPECT_EQ(scenario.header.observed->verdict, Verdict::deadlock);
  EXPECT_THAT(scenario.header.hosts, ElementsAre("h1", "h1", "h2", "h2"));
  EXPECT_THAT(files_in(work()), ElementsAre("out.jsonl"));
  EXPECT_THAT(scratch.read("left"), IsEmpty());
}

TEST_F(TwoHosts, WhatTheUserForwardsIsForwardedStill) {
  setenv("WORD", "of the user", 1);
  const Ran ran =
      record({"--dir", "records"},
             {"-x", "WORD", "sh", "-c", "echo WORD=$WORD >&2; exec " + kPrograms + "/program_uneven_batches --fixed"});
  unsetenv("WORD");
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::size_t words = 0;
  for (std::size_t at = ran.err.find("WORD=of the user"); at != std::string::npos;
       at = ran.err.find("WORD=of the user", at + 1))
    ++words;
  EXPECT_EQ(words, 4) << ran.err;
  EXPECT_THAT(recorded().header.hosts, ElementsAre("h1", "h1", "h2", "h2"));
  EXPECT_EQ(files_in(work() / "records").size(), 4);  // a folder that the user named is kept
}

TEST_F(TwoHosts, WhereNoFolderIsSharedTheRecordsCanBeGathered) {
  const fs::path elsewhere = scratch.folder() / "h2-work";
  fs::create_directory(elsewhere);
  const Ran ran = record({}, {kPrograms + "/program_uneven_batches", "--fixed"});
  EXPECT_THAT(ran.err, HasSubstr("no record of ranks 2,3 came here"));
  EXPECT_THAT(ran.err, HasSubstr("They ran on h2"));
  EXPECT_THAT(ran.err, HasSubstr("petri import -o"));
  EXPECT_THAT(recorded().header.hosts, ElementsAre("h1", "h1", "unknown", "unknown"));

  ASSERT_EQ(files_in(elsewhere).size(), 1) << "the recorder makes the folder where it is missing";
  const Ran gathered = scratch.petri({"import", "-o", "gathered.jsonl", (work() / "out.jsonl.records").string(),
                                      (elsewhere / files_in(elsewhere).front()).string()});
  ASSERT_EQ(gathered.status, 0) << gathered.err;
  const Scenario whole = read_scenario(scratch.folder() / "gathered.jsonl");
  EXPECT_THAT(whole.header.hosts, ElementsAre("h1", "h1", "h2", "h2"));
  EXPECT_EQ(scratch.petri({"diagnose", "gathered.jsonl"}).status, 0);
}

TEST_F(TwoHosts, RanksWithoutARecordAreNeverTakenForBlocked) {
  fs::create_directory(scratch.folder() / "h2-work");
  const Ran ran = record({"--timeout", "3"}, {kPrograms + "/program_uneven_batches"});
  EXPECT_THAT(ran.err, HasSubstr("time-out, which is no proof of a deadlock"));
  EXPECT_THAT(ran.err, HasSubstr("no record of ranks 2,3 came here"));
  EXPECT_THAT(ran.err, Not(HasSubstr("as no rank can go on")));
  EXPECT_EQ(ran.status, 4) << ran.err;
  EXPECT_THAT(scratch.read("left"), IsEmpty());
}

}  // namespace
}  // namespace petri::cli::testing
