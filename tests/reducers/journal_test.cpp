#include "reducers/journal.hpp"

#include <gmock/gmock.h>

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/trace/error.hpp"
#include "harness/trace/write.hpp"
#include "reducers/engine.hpp"
#include "tests/reducers/build.hpp"

namespace petri::reduce {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const JournalIdentity kIdentity{"xxh3-128:aa", "toy", "p", 7};
using Existing = Journal::Existing;

std::string read_all(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_all(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string bytes_of(const Scenario& scenario) {
  std::ostringstream out;
  write_scenario(scenario, out);
  return out.str();
}

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "petri_journal_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    file_ = folder_ / "journal";
  }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  Journal begin() {
    Verdicts none;
    return Journal::open(file_, kIdentity, Existing::replace, none);
  }

  std::string refusal(const JournalIdentity& identity) {
    Verdicts known;
    try {
      Journal::open(file_, identity, Existing::resume, known);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_, file_;
};

TEST_F(JournalTest, VerdictsComeBack) {
  const Judgement failed{Answer::reproduces, {}};
  const Judgement other{Answer::passes, "deadlock(\"a\"\n)"};
  {
    Journal journal = begin();
    journal.append("one", failed);
    journal.append("two", other);
  }
  Verdicts known;
  Journal::open(file_, kIdentity, Existing::resume, known).append("three", {Answer::unresolved, {}});
  EXPECT_EQ(known.at("one"), failed);
  EXPECT_EQ(known.at("two"), other);
  Verdicts again;
  Journal::open(file_, kIdentity, Existing::resume, again);
  EXPECT_THAT(again, SizeIs(3));
}

TEST_F(JournalTest, AJournalOfSomethingElseIsRefusedByName) {
  begin();
  EXPECT_THAT(refusal({"xxh3-128:bb", "toy", "p", 7}), HasSubstr("another input"));
  EXPECT_THAT(refusal({"xxh3-128:aa", "live", "p", 7}), HasSubstr("another oracle"));
  EXPECT_THAT(refusal({"xxh3-128:aa", "toy", "p", 8}), HasSubstr("another seed"));
  EXPECT_THAT(refusal({"xxh3-128:aa", "toy", "q", 7}), HasSubstr("another program"));
  EXPECT_EQ(refusal(kIdentity), "");
}

TEST_F(JournalTest, InItsOwnPlaceAnOlderRunsJournalIsReplaced) {
  begin().append("one", {Answer::passes, {}});
  const JournalIdentity newer{"xxh3-128:bb", "toy", "p", 7};
  Verdicts known;
  Journal::open(file_, newer, Existing::own_place, known).append("two", {Answer::passes, {}});
  EXPECT_THAT(known, SizeIs(0));
  Journal::open(file_, newer, Existing::own_place, known);
  EXPECT_THAT(known, SizeIs(1));
  for (const char* older :
       {"{\"petri_journal\":1,\"input\":\"x\"}\n{\"any\":1}\n", "{\"petri_jou", "{\"petri_journal\":2,\"inp", ""}) {
    write_all(file_, older);
    known.clear();
    Journal::open(file_, newer, Existing::own_place, known);
    EXPECT_THAT(known, SizeIs(0)) << older;
  }
  write_all(file_, "a letter to my aunt\n");
  EXPECT_THROW(Journal::open(file_, newer, Existing::own_place, known), InputError);
  EXPECT_EQ(read_all(file_), "a letter to my aunt\n");
}

TEST_F(JournalTest, AFileThatCannotGrowStaysWholeAndTheRunGoesOn) {
  Journal journal = begin();
  journal.append("one", {Answer::passes, {}});
  const std::string whole = read_all(file_);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit narrow{whole.size() + 5, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &narrow);
  journal.append("two", {Answer::passes, {}});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(journal.failure(), std::strerror(EFBIG));
  journal.append("three", {Answer::passes, {}});
  EXPECT_EQ(read_all(file_), whole);
}

TEST_F(JournalTest, WithoutRoomForItsFirstLineThereIsNoFile) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit narrow{5, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &narrow);
  Journal journal = begin();
  journal.append("one", {Answer::passes, {}});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(journal.failure(), std::strerror(EFBIG));
  EXPECT_FALSE(journal.begun());
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(JournalTest, TwoProcessesDoNotShareAJournal) {
  const Journal journal = begin();
  EXPECT_EXIT(
      {
        try {
          begin();
        } catch (const EnvironmentError& error) {
          std::fprintf(stderr, "%s\n", error.what());
          std::_Exit(3);
        }
      },
      ::testing::ExitedWithCode(3), "another petri shrink is writing it");
}

TEST_F(JournalTest, OtherFilesAreRefusedAndLeftAlone) {
  for (const std::string text : {"hello\n", "{}\n", "no line end", "{\"petri_journal\":2}\n"}) {
    write_all(file_, text);
    EXPECT_NE(refusal(kIdentity), "") << text;
    EXPECT_EQ(read_all(file_), text);
  }
}

TEST_F(JournalTest, ABrokenLineInsideIsAnErrorWithItsNumber) {
  begin();
  write_all(file_, read_all(file_) + "{\"candidate\":\"x\",\"answer\":\"perhaps\"}\n");
  EXPECT_THAT(refusal(kIdentity), HasSubstr(":2: "));
}

TEST_F(JournalTest, AKilledRunResumesToTheSameBytesWhereverItWasCut) {
  const Scenario job = data_parallel_job(5, 3, 4);
  const Oracle oracle = when(has_extra_collective);
  ShrinkOptions options;
  {
    Journal journal = begin();
    options.journal = &journal;
    shrink(job, oracle, options);
  }
  options.journal = nullptr;
  const ShrinkResult undisturbed = shrink(job, oracle, options);
  const std::string whole = read_all(file_);
  std::size_t cuts = 0;
  // At every byte of the first lines, where lines are torn, and at and beside every later line end.
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const bool near_line_end =
        length == whole.size() || whole[length] == '\n' || (length > 0 && whole[length - 1] == '\n');
    if (length > 300 && !near_line_end) continue;
    ++cuts;
    write_all(file_, whole.substr(0, length));
    ShrinkOptions resumed;
    Journal journal = Journal::open(file_, kIdentity, Existing::resume, resumed.known);
    resumed.journal = &journal;
    const ShrinkResult result = shrink(job, oracle, resumed);
    ASSERT_EQ(bytes_of(result.scenario), bytes_of(undisturbed.scenario)) << "cut at " << length;
    ASSERT_EQ(result.tests, undisturbed.tests);
    ASSERT_EQ(read_all(file_), whole);
  }
  EXPECT_GT(cuts, 100U);
}

}  // namespace
}  // namespace petri::reduce
