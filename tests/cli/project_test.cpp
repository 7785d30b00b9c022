#include "harness/cli/project.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "harness/cli/words.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

class ProjectTest : public ::testing::Test {
 protected:
  ProjectTest() {
    std::string pattern = (fs::temp_directory_path() / "petri_project_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = fs::canonical(pattern);
    for (const char* file :
         {"top/.git/HEAD", "top/src/train.cpp", "top/tests/case/local.py", "top/tests/helper.py", "secret.c"})
      write(folder_ / file);
  }
  ~ProjectTest() override { fs::remove_all(folder_); }

  static void write(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "text\n";
  }

  // The line as text; empty where there is none.
  std::string line(const std::string& site) const {
    const auto found = Project(folder_ / "top/tests").line_of(site, folder_ / "top/tests/case");
    return found ? found->file + ":" + std::to_string(found->line) : "";
  }

  fs::path folder_;
};

TEST_F(ProjectTest, ItsRootIsWhereGitSaysAndPathsCountFromThere) {
  const Project project(folder_ / "top/tests/case");
  EXPECT_EQ(project.root(), folder_ / "top");
  EXPECT_EQ(project.within(folder_ / "top/tests/../src/train.cpp"), "src/train.cpp");
  EXPECT_EQ(project.within(folder_ / "top/not/yet/there"), "not/yet/there");
  EXPECT_EQ(project.within(folder_ / "secret.c"), (folder_ / "secret.c").generic_string());
}

TEST_F(ProjectTest, ASiteIsALineOfAFileThatIsThere) {
  EXPECT_EQ(line("src/train.cpp:52"), "src/train.cpp:52");
  EXPECT_EQ(line((folder_ / "top/src/train.cpp").string() + ":7"), "src/train.cpp:7");
  EXPECT_EQ(line("local.py:3"), "tests/case/local.py:3");
  EXPECT_EQ(line("helper.py:3"), "tests/helper.py:3");
  EXPECT_EQ(line("src/gone.cpp:52"), "");
}

TEST_F(ProjectTest, AProgramBuiltElsewhereIsFoundByTheEndOfItsPath) {
  EXPECT_EQ(line("/builds/group/top/src/train.cpp:52"), "src/train.cpp:52");
  EXPECT_EQ(line("/builds/train.cpp:52"), "");
}

TEST_F(ProjectTest, WhatIsNoSiteOrLeadsOutsideNamesNothing) {
  for (const char* site :
       {"", "src/train.cpp", "src/train.cpp:", "src/train.cpp:0", "src/train.cpp:5x", "src/train.cpp:-1", ":5", "src:5",
        "src/:5", "../secret.c:1", "src/../../secret.c:1", "src/train.cpp:99999999999999999999"})
    EXPECT_EQ(line(site), "") << site;
}

TEST(QuotedWord, ReadsBackAsTheSameWord) {
  EXPECT_EQ(quoted_word("cases/swap-1.jsonl"), "cases/swap-1.jsonl");
  EXPECT_EQ(quoted_word(""), "''");
  for (const char* word : {"", "a b", "it's", "$(x)", "\"", "\\", "~", "a\nb"})
    EXPECT_EQ(split_words(quoted_word(word)), std::vector<std::string>{word});
}

}  // namespace
}  // namespace petri::cli
