#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const char* const kDeadlock = R"({"petri":1,"world":2,"backend":"mpi","expect":{"verdict":"deadlock"}}
{"rank":0,"op":"barrier"}
{"end":true,"events":1}
)";

// The folders that were checked, of lines as in "ok    cases/a/scenario.jsonl  model: deadlock".
std::set<std::string> checked(const Ran& run) {
  std::set<std::string> names;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("ok ")) names.insert(line.substr(6, line.rfind("  model") - 6));
  return names;
}

class CheckSelect : public ::testing::Test {
 protected:
  CheckSelect() {
    for (const char* name : {"a", "b", "c", "c/below", "d", "e", "f"})
      scratch.write(std::string("cases/") + name + "/scenario.jsonl", kDeadlock);
    scratch.write("cases/pair/one.jsonl", kDeadlock);
    scratch.write("cases/pair/two.jsonl", kDeadlock);
  }
  Ran check(std::vector<std::string> more, const std::string& path = "cases") const {
    more.insert(more.begin(), {"check", "--model-only"});
    more.push_back(path);
    return scratch.petri(more);
  }
  void git(std::vector<std::string> words) const {
    words.insert(words.begin(), {"git", "-c", "user.name=a", "-c", "user.email=a@b"});
    const Ran run = scratch.run(words);
    ASSERT_EQ(run.status, 0) << run.err;
  }
  void commit_all() const {
    git({"init", "-q", "-b", "main"});
    git({"add", "-A"});
    git({"commit", "-q", "-m", "all"});
  }

  const Scratch scratch;
};

TEST_F(CheckSelect, ShardsTogetherAreAllAndNoneTwice) {
  const std::set<std::string> all = checked(check({}));
  ASSERT_EQ(all.size(), 9U);
  std::multiset<std::string> together;
  for (const char* shard : {"1/4", "2/4", "3/4", "4/4"}) {
    const Ran run = check({"--shard", shard});
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.err, HasSubstr("of 9 reproducers (shard " + std::string(shard) + ")"));
    for (const std::string& name : checked(run)) together.insert(name);
  }
  EXPECT_EQ(together, std::multiset<std::string>(all.begin(), all.end()));
}

TEST_F(CheckSelect, AShardHoldsTheSameFromWhereverItIsAskedFor) {
  git({"init", "-q"});  // names the project's root
  const std::set<std::string> here = checked(check({"--shard", "2/3"}));
  std::set<std::string> there;
  for (const std::string& name : checked(check({"--shard", "2/3"}, (scratch.folder() / "cases").string())))
    there.insert(name.substr(scratch.folder().string().size() + 1));
  EXPECT_EQ(here, there);
}

TEST_F(CheckSelect, AnEmptyShardIsSuccessWithASentence) {
  const Ran run = check({"--shard", "1/2", "--report", "junit:out.xml", "--report", "tap:out.tap"}, "cases/a");
  const Ran other = check({"--shard", "2/2"}, "cases/a");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(other.status, 0);
  EXPECT_EQ(checked(run).size() + checked(other).size(), 1U);
  EXPECT_THAT(run.err + other.err, HasSubstr("0 of 1 reproducer (shard "));
  EXPECT_THAT(run.err + other.err, HasSubstr("nothing to check"));
  EXPECT_THAT(scratch.read("out.xml"), HasSubstr(R"(<property name="shard" value="1/2" />)"));
}

TEST_F(CheckSelect, OnlyWhatChangedIsChecked) {
  commit_all();
  EXPECT_THAT(checked(check({"--changed-since", "HEAD"})), IsEmpty());
  scratch.write("cases/a/scenario.jsonl", std::string(kDeadlock) + "\n");
  scratch.write("cases/b/reproducer.json", R"({"command":["solver"]})");
  scratch.write("cases/c/payload/x.npy", "of c");
  scratch.write("cases/pair/two.jsonl", std::string(kDeadlock) + "\n");
  scratch.write("cases/new/scenario.jsonl", kDeadlock);
  scratch.write("elsewhere.txt", "of none");
  git({"mv", "cases/d", "cases/moved"});
  const Ran run = check({"--changed-since", "HEAD"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(checked(run),
              UnorderedElementsAre("cases/a/scenario.jsonl", "cases/b/scenario.jsonl", "cases/c/scenario.jsonl",
                                   "cases/pair/two.jsonl", "cases/new/scenario.jsonl", "cases/moved/scenario.jsonl"));
}

TEST_F(CheckSelect, CommandsThatAreRunStayWhateverChanged) {
  scratch.write("cases/b/reproducer.json", R"({"command":["./no-such-program"]})");
  scratch.write("cases/d/reproducer.json", R"({"command":["./no-such-program"]})");
  commit_all();
  scratch.write("cases/d/README.md", "changed");
  const auto told = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"check", "--changed-since", "HEAD", "--report", "tap"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back("cases");
    return scratch.petri(words, 120).out;
  };
  EXPECT_THAT(told({}), AllOf(HasSubstr("1..3\n"), HasSubstr("cases/d/scenario.jsonl (command)")));
  const std::string run = told({"--run-commands"});
  EXPECT_THAT(run, AllOf(HasSubstr("1..4\n"), HasSubstr("cases/b/scenario.jsonl (command)"),
                         Not(HasSubstr("cases/b/scenario.jsonl (model)"))));
}

TEST_F(CheckSelect, AFileThatSeveralShareIsOfThemAll) {
  commit_all();
  scratch.write("cases/pair/payload.npy", "of both");
  EXPECT_THAT(checked(check({"--changed-since", "HEAD"})),
              UnorderedElementsAre("cases/pair/one.jsonl", "cases/pair/two.jsonl"));
}

TEST_F(CheckSelect, NothingChangedIsSuccessWithASentence) {
  commit_all();
  git({"commit", "-q", "--allow-empty", "-m", "nothing"});
  const Ran run = check({"--changed", "--report", "gitlab:out.json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("0 of 9 reproducers (changed since "));
  EXPECT_THAT(run.err, HasSubstr("(the commit before HEAD)): nothing to check"));
  EXPECT_EQ(scratch.read("out.json"), "[]\n");
}

TEST_F(CheckSelect, ShardsArePartsOfWhatChanged) {
  commit_all();
  for (const char* name : {"a", "b", "d", "e"})
    scratch.write(std::string("cases/") + name + "/scenario.jsonl", std::string(kDeadlock) + "\n");
  const std::set<std::string> one = checked(check({"--changed-since", "HEAD", "--shard", "1/2"}));
  const std::set<std::string> two = checked(check({"--changed-since", "HEAD", "--shard", "2/2"}));
  EXPECT_EQ(one.size(), 2U);
  EXPECT_EQ(two.size(), 2U);
  EXPECT_NE(one, two);
}

TEST_F(CheckSelect, WithoutARepositoryOrWithANameThatIsNoneItSaysSo) {
  const Ran outside = check({"--changed"});
  EXPECT_EQ(outside.status, 3);
  EXPECT_THAT(outside.err, HasSubstr("not a git repository"));
  commit_all();
  const Ran hostile = check({"--changed-since", "--output=stolen"});
  EXPECT_EQ(hostile.status, 2);
  EXPECT_THAT(hostile.err, HasSubstr("git knows no revision '--output=stolen'"));
  EXPECT_EQ(scratch.read("stolen"), "");
}

TEST_F(CheckSelect, AnEmptyShardIsNone) {
  EXPECT_EQ(check({"--shard", ""}).status, 2);
  EXPECT_EQ(check({"--shard="}).status, 2);
}

TEST_F(CheckSelect, ChangesOfNothingHaveAReason) {
  commit_all();
  const Ran run = scratch.petri({"check", "--run-commands", "--commands-only", "--changed", "cases"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "petri: 0 of 0 reproducers (changed since the default branch): nothing to check\n");
}

}  // namespace
}  // namespace petri::cli::testing
