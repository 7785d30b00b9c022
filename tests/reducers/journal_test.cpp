#include "reducers/journal.hpp"

#include <gmock/gmock.h>

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

const JournalIdentity kIdentity{"xxh3-128:aa", "toy", 7};

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

  std::string refusal(const JournalIdentity& identity) {
    Verdicts known;
    try {
      Journal::resume(file_, identity, known);
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
    Journal journal = Journal::begin(file_, kIdentity);
    journal.append("one", failed);
    journal.append("two", other);
  }
  Verdicts known;
  Journal::resume(file_, kIdentity, known).append("three", {Answer::unresolved, {}});
  EXPECT_EQ(known.at("one"), failed);
  EXPECT_EQ(known.at("two"), other);
  Verdicts again;
  Journal::resume(file_, kIdentity, again);
  EXPECT_THAT(again, SizeIs(3));
}

TEST_F(JournalTest, AJournalOfSomethingElseIsRefusedByName) {
  { Journal::begin(file_, kIdentity); }
  EXPECT_THAT(refusal({"xxh3-128:bb", "toy", 7}), HasSubstr("another input"));
  EXPECT_THAT(refusal({"xxh3-128:aa", "live", 7}), HasSubstr("another oracle"));
  EXPECT_THAT(refusal({"xxh3-128:aa", "toy", 8}), HasSubstr("another seed"));
  EXPECT_EQ(refusal(kIdentity), "");
}

TEST_F(JournalTest, OtherFilesAreRefusedAndLeftAlone) {
  for (const std::string text : {"hello\n", "{}\n", "no line end", "{\"petri_journal\":2}\n"}) {
    write_all(file_, text);
    EXPECT_NE(refusal(kIdentity), "") << text;
    EXPECT_EQ(read_all(file_), text);
  }
}

TEST_F(JournalTest, ABrokenLineInsideIsAnErrorWithItsNumber) {
  { Journal::begin(file_, kIdentity); }
  write_all(file_, read_all(file_) + "{\"candidate\":\"x\",\"answer\":\"perhaps\"}\n");
  EXPECT_THAT(refusal(kIdentity), HasSubstr(":2: "));
}

TEST_F(JournalTest, AKilledRunResumesToTheSameBytesWhereverItWasCut) {
  const Scenario job = data_parallel_job(5, 3, 4);
  const Oracle oracle = when(has_extra_collective);
  ShrinkOptions options;
  {
    Journal journal = Journal::begin(file_, kIdentity);
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
    Journal journal = Journal::resume(file_, kIdentity, resumed.known);
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
