#include "harness/cli/changed_files.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "harness/cli/command.hpp"
#include "harness/launch/program_output.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Repositories in a folder of the test's own, without the user's settings.
class ChangedFilesTest : public ::testing::Test {
 protected:
  ChangedFilesTest() {
    std::string pattern = (fs::temp_directory_path() / "petri_changed_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = fs::canonical(pattern);
    top_ = folder_ / "top";
    fs::create_directory(top_);
  }
  ~ChangedFilesTest() override { fs::remove_all(folder_); }

  void git(std::vector<std::string> arguments) const { git_in(top_, std::move(arguments)); }
  static void git_in(const fs::path& where, std::vector<std::string> arguments) {
    ProgramCall call{{"git", "-C", where.string(), "-c", "user.name=a", "-c", "user.email=a@b", "-c",
                      "init.defaultBranch=main", "-c", "protocol.file.allow=always"},
                     {{"GIT_CONFIG_GLOBAL", "/dev/null"}}};
    call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
    const ProgramOutput output = output_of(call);
    ASSERT_EQ(output.status, 0) << output.err;
  }
  void write(const std::string& name, const std::string& text = "text") const {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name) << text;
  }
  void commit(const std::string& name) const {
    write(name);
    git({"add", "-A"});
    git({"commit", "-q", "-m", name});
  }
  // main with two commits, and a branch with one more.
  void make_branch() const {
    git({"init", "-q"});
    commit("one/scenario.jsonl");
    commit("two/scenario.jsonl");
    git({"checkout", "-q", "-b", "work"});
    commit("three/scenario.jsonl");
  }

  std::set<std::string> changed(const std::string& ref = "") const {
    std::set<std::string> names;
    for (const fs::path& file : changed_files(top_, ref).files) names.insert(file.lexically_relative(top_).string());
    return names;
  }

  fs::path folder_, top_;
};

TEST_F(ChangedFilesTest, OnABranchSinceItLeftTheDefaultOne) {
  make_branch();
  EXPECT_THAT(changed(), UnorderedElementsAre("three/scenario.jsonl"));
  git({"checkout", "-q", "main"});
  commit("later/scenario.jsonl");
  git({"checkout", "-q", "work"});
  EXPECT_THAT(changed(), UnorderedElementsAre("three/scenario.jsonl"))
      << "what came to main since is no change of ours";
  EXPECT_THAT(changed_files(top_ / "three", "").since, HasSubstr("(where main was left)"));
}

TEST_F(ChangedFilesTest, OnTheDefaultBranchSinceTheCommitBefore) {
  make_branch();
  git({"checkout", "-q", "main"});
  EXPECT_THAT(changed(), UnorderedElementsAre("two/scenario.jsonl"));
}

TEST_F(ChangedFilesTest, WhatIsStagedNotStagedOrUntrackedCounts) {
  make_branch();
  write("one/scenario.jsonl", "not staged");
  write("staged/a.json");
  git({"add", "staged/a.json"});
  write("untracked/odd \"name\"\n\xff.json");
  write(".gitignore", "ignored\n");
  write("ignored/a.json");
  EXPECT_THAT(changed("HEAD"), UnorderedElementsAre("one/scenario.jsonl", "staged/a.json",
                                                    "untracked/odd \"name\"\n\xff.json", ".gitignore"));
}

TEST_F(ChangedFilesTest, ARenamedFileCountsUnderBothNamesAndADeletedOneStays) {
  make_branch();
  git({"mv", "one/scenario.jsonl", "moved.jsonl"});
  fs::remove(top_ / "two/scenario.jsonl");
  EXPECT_THAT(changed("HEAD"), UnorderedElementsAre("one/scenario.jsonl", "moved.jsonl", "two/scenario.jsonl"));
}

TEST_F(ChangedFilesTest, NoSettingOfTheUsersChangesTheAnswer) {
  make_branch();
  git({"config", "diff.relative", "true"});
  git({"config", "diff.renames", "copies"});
  git({"config", "diff.external", "false"});
  git({"config", "core.quotePath", "true"});
  write("one/\xc3\xa4.json");
  std::set<std::string> names;
  for (const fs::path& file : changed_files(top_ / "two", "HEAD~1").files)
    names.insert(file.lexically_relative(top_).string());
  EXPECT_THAT(names, UnorderedElementsAre("three/scenario.jsonl", "one/\xc3\xa4.json"));
}

TEST_F(ChangedFilesTest, AnEarlierStateThatIsNotThereMakesAllNew) {
  git({"init", "-q"});
  EXPECT_TRUE(changed_files(top_, "").all) << "no commit";
  commit("one/scenario.jsonl");
  EXPECT_TRUE(changed_files(top_, "").all) << "one commit";
  EXPECT_FALSE(changed_files(top_, "HEAD").all);
  EXPECT_THAT(changed("HEAD"), IsEmpty());
}

TEST_F(ChangedFilesTest, ARevisionThatIsNoneIsRefused) {
  make_branch();
  for (const char* ref :
       {"nowhere", "--output=x", "-h", "--all", "main..work", "main work", "main\nwork", "^main", "$(touch x)"})
    EXPECT_THROW(changed_files(top_, ref), UsageError) << ref;
  EXPECT_FALSE(fs::exists(top_ / "x"));
}

TEST_F(ChangedFilesTest, WithoutARepositoryTheReasonIsGits) {
  try {
    changed_files(top_, "");
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("not a git repository"));
  }
}

TEST_F(ChangedFilesTest, ARepositoryOfSomebodyElseComesWithGitsAdvice) {
  make_branch();
  setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
  setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
  try {
    changed_files(top_, "");
    ADD_FAILURE();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("dubious ownership"));
    EXPECT_THAT(error.what(), HasSubstr("safe.directory"));
  }
  for (const char* name : {"GIT_TEST_ASSUME_DIFFERENT_OWNER", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"}) unsetenv(name);
}

TEST_F(ChangedFilesTest, AShallowCloneSaysWhatItLacks) {
  make_branch();
  git_in(folder_, {"clone", "-q", "--depth", "1", "--branch", "work", "file://" + top_.string(), "shallow"});
  for (const char* ref : {"", "origin/main"}) {
    try {
      changed_files(folder_ / "shallow", ref);
      FAIL() << ref;
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("git fetch --unshallow"));
    }
  }
  // With the other branch's end, but not the place where it was left, more is shown, not less.
  git_in(folder_ / "shallow", {"fetch", "-q", "--depth", "1", "origin", "main"});
  const ChangedFiles found = changed_files(folder_ / "shallow", "FETCH_HEAD");
  EXPECT_THAT(found.since, HasSubstr("no common ancestor"));
  EXPECT_THAT(found.files, UnorderedElementsAre(folder_ / "shallow/three/scenario.jsonl"));
}

TEST_F(ChangedFilesTest, InAHookOfAnotherRepositoryTheFoldersOwnIsAsked) {
  make_branch();
  setenv("GIT_DIR", "/nowhere", 1);
  setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
  EXPECT_THAT(changed(), UnorderedElementsAre("three/scenario.jsonl"));
  unsetenv("GIT_DIR");
  unsetenv("GIT_INDEX_FILE");
}

}  // namespace
}  // namespace petri::cli
