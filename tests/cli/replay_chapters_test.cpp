// petri replay of every chapter of MPI: legal scenarios complete, blocked ones hang as the model says they do.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::vector<std::string> scenarios_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& file : fs::directory_iterator(folder)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string name_of_file(const ::testing::TestParamInfo<std::string>& test) {
  return fs::path(test.param).stem();
}

class LegalChapter : public ::testing::TestWithParam<std::string> {};

TEST_P(LegalChapter, Completes) {
  const Scratch scratch;
  const Ran ran = scratch.petri({"replay", "--timeout", "10", GetParam()});
  if (ran.status == 3) GTEST_SKIP() << ran.err;
  // What a program waits for outside MPI, nobody can judge.
  const bool judged = fs::path(GetParam()).stem() != "not_judged";
  EXPECT_EQ(ran.status, judged ? 0 : 4) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(judged ? "completes, as the scenario says" : "wait_external is not judged"));
}

INSTANTIATE_TEST_SUITE_P(Replay, LegalChapter, ::testing::ValuesIn(scenarios_in(PETRI_OPERATIONS)), name_of_file);

class BlockedChapter : public ::testing::TestWithParam<std::string> {};

// Strict: a collective of files may leave early in Open MPI.
TEST_P(BlockedChapter, HangsAsTheModelSays) {
  const Scratch scratch;
  const Ran ran = scratch.petri({"replay", "--strict", "--timeout", "10", GetParam()});
  EXPECT_EQ(ran.status, 10) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("reproduced: deadlock, the same failure as the scenario's"));
}

// Open MPI refuses the call, and its rank ends there.
TEST(RefusedCall, ShowsTheMisuse) {
  const Scratch scratch;
  scratch.write("misuse.jsonl", R"({"petri":1,"world":2}
{"rank":0,"op":"win_create","win":"w"}
{"rank":0,"op":"win_complete","win":"w"}
{"rank":0,"op":"barrier"}
{"rank":1,"op":"win_create","win":"w"}
{"rank":1,"op":"barrier"}
{"end":true,"events":5}
)");
  const Ran ran = scratch.petri({"replay", "--strict", "--timeout", "10", "misuse.jsonl"});
  EXPECT_EQ(ran.status, 16) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("reproduced: misuse, the same failure as the scenario's"));
}

INSTANTIATE_TEST_SUITE_P(Replay, BlockedChapter, ::testing::ValuesIn(scenarios_in(PETRI_BLOCKED)), name_of_file);

}  // namespace
}  // namespace petri::cli::testing
