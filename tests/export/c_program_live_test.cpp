// Exported programs under a real compiler and a real mpirun.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/export/c_program.hpp"
#include "harness/trace/read.hpp"
#include "tests/support/library_files.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

class LiveProgram : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"mpicc", "mpirun", "timeout"})
      if (!has_program(program)) GTEST_SKIP() << program << " is missing";
    std::string name = (fs::temp_directory_path() / "petri-export-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void compile(const fs::path& scenario, const std::string& options = "-o case") const {
    std::ofstream(folder_ / "case.c") << c_program(read_scenario(scenario));
    const std::string command = "cd " + folder_.string() +
                                " && mpicc -std=c99 -Wall -Wextra -Wpedantic -Werror case.c " + options + " >log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << text_of(folder_ / "log");
  }

  // The exit status; 124 where the program still ran at the time limit and was ended, with its launcher, which
  // sometimes stays when it is told to end.
  int run(int ranks, int seconds) const {
    constexpr int kTimedOut = 124, kKilled = 137;  // timeout(1)
    const std::string command =
        "cd " + folder_.string() + " && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" + " " +
        test::library_files_in(folder_.string()) + " && timeout --kill-after=10 " + std::to_string(seconds) +
        " mpirun --oversubscribe -n " + std::to_string(ranks) + " ./case >log 2>&1";
    const auto begun = std::chrono::steady_clock::now();
    const int status = std::system(command.c_str());
    const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const bool too_long = std::chrono::steady_clock::now() - begun >= std::chrono::seconds(seconds);
    return ended == kKilled && too_long ? kTimedOut : ended;
  }

  static std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

// Why a program of MPI calls has no place for what the scenario does: its first such event's reason, or nothing.
std::string expected_refusal(const Scenario& scenario) {
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      const std::string named = std::string(name_of(event.op)) + " cannot be written: ";
      if (kind_of(event.op) == OpKind::device || !event.extras.stream().empty())
        return named + "it is work of a device";
      if (event.op == Op::group_start) return named + "it is NCCL's";
    }
  }
  return "";
}

std::string refusal(const Scenario& scenario) {
  try {
    c_program(scenario);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

fs::path scenario(const std::string& name) {
  return fs::path(PETRI_SCENARIOS) / name / "scenario.jsonl";
}

TEST_F(LiveProgram, OfEveryOperationCompilesWithoutAWarning) {
  compile(PETRI_TEST_DATA "/all_operations.jsonl");
}

// Where the library lacks MPI 4's calls, their declarations stand in, and nothing is linked.
#if PETRI_MPI_HAS_4_0_CALLS
constexpr const char* kWithMpi4 = "-o case";
#else
constexpr const char* kWithMpi4 = "-c -include " PETRI_TEST_DATA "/mpi_4_calls.h";
#endif

TEST_F(LiveProgram, OfMpi4CompilesWithoutAWarning) {
  compile(PETRI_TEST_DATA "/mpi_4_operations.jsonl", kWithMpi4);
#if PETRI_MPI_HAS_4_0_CALLS
  EXPECT_EQ(run(2, 30), 0) << text_of(folder_ / "log");
#endif
}

TEST_F(LiveProgram, OfEveryReproducerCompilesWithoutAWarning) {
  int programs = 0, refused = 0;
  for (const auto& entry : fs::directory_iterator(PETRI_SCENARIOS)) {
    if (!fs::exists(entry.path() / "scenario.jsonl")) continue;
    SCOPED_TRACE(entry.path().string());
    const Scenario read = read_scenario(entry.path() / "scenario.jsonl");
    if (const std::string expected = expected_refusal(read); !expected.empty()) {
      EXPECT_NE(refusal(read).find(expected), std::string::npos) << refusal(read);
      ++refused;
      continue;
    }
    compile(entry.path() / "scenario.jsonl", kWithMpi4);
    ++programs;
  }
  EXPECT_GT(programs, 10);
  EXPECT_GT(refused, 2);
}

TEST_F(LiveProgram, HangsWhereTheScenarioDoes) {
  compile(scenario("lost-answer"));
  EXPECT_EQ(run(4, 4), 124);
  compile(scenario("endless-poll"));
  EXPECT_EQ(run(2, 4), 124);
}

TEST_F(LiveProgram, HangsWhereChaptersBeyondMessagesDo) {
  compile(scenario("persistent-started-crosswise"));
  EXPECT_EQ(run(2, 4), 124);
  for (const char* name : {"c19-lock-and-barrier", "fence-left-out", "post-without-start", "file-write-left-out",
                           "thread-waits-for-itself"}) {
    SCOPED_TRACE(name);
    compile(scenario(name));
    EXPECT_EQ(run(read_scenario(scenario(name)).world(), 4), 124) << text_of(folder_ / "log");
  }
  compile(scenario("leaders-disagree-on-tag"));
  EXPECT_EQ(run(4, 4), 124);
}

TEST_F(LiveProgram, EndsWhereTheScenarioDoes) {
  compile(scenario("lost-answer-legal"));
  EXPECT_EQ(run(4, 30), 0) << text_of(folder_ / "log");
  compile(scenario("c08-private-groups-by-group"));
  EXPECT_EQ(run(4, 30), 0) << text_of(folder_ / "log");
  compile(scenario("intercommunicator-legal"));
  EXPECT_EQ(run(4, 30), 0) << text_of(folder_ / "log");
  compile(scenario("c19-lock-and-barrier-legal"));
  EXPECT_EQ(run(2, 30), 0) << text_of(folder_ / "log");
  compile(scenario("threads-legal"));
  EXPECT_EQ(run(2, 30), 0) << text_of(folder_ / "log");
  compile(scenario("neighbour-counts-legal"));
  EXPECT_EQ(run(3, 30), 0) << text_of(folder_ / "log");
}

// Two ranks whose records begin at different positions, of which only rank 0's has the reduction before. Its root, that
// rank, would wait in vain.
constexpr const char* kLate = R"({"petri":1,"world":2}
{"rank":0,"op":"reduce","root":0,"count":1,"dtype":"int32","reduce":"sum","state":"completed"}
{"rank":0,"op":"bcast","count":4,"dtype":"float32","state":"completed"}
{"rank":1,"op":"bcast","count":4,"dtype":"float32","state":"completed"}
{"rank":1,"op":"barrier","state":"started"}
{"rank":0,"end":"running","dropped":6,"joined":{"world":6}}
{"rank":1,"end":"running","dropped":7,"joined":{"world":7}}
{"end":true}
)";

TEST_F(LiveProgram, BeginsWhereAllRecordsBegin) {
  std::ofstream(folder_ / "late.jsonl") << kLate;
  compile(folder_ / "late.jsonl");
  EXPECT_EQ(run(2, 4), 124);
  std::string whole = text_of(folder_ / "late.jsonl");
  for (std::size_t at = whole.find("running"); at != std::string::npos; at = whole.find("running"))
    whole.replace(at, 7, "finalized");
  whole.replace(whole.find("barrier"), 7, "compute");
  std::ofstream(folder_ / "late.jsonl") << whole;
  compile(folder_ / "late.jsonl");
  EXPECT_EQ(run(2, 30), 0) << text_of(folder_ / "log");
}

TEST_F(LiveProgram, MakesTheCallsOfEveryChapter) {
  compile(PETRI_TEST_DATA "/legal_calls.jsonl");
  for (int again = 0; again < 2; ++again) EXPECT_EQ(run(2, 30), 0) << text_of(folder_ / "log");
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_NE(entry.path().filename().string().substr(0, 10), "petri-file");
}

TEST_F(LiveProgram, DiesWhereARankIsKilled) {
  compile(scenario("rank-killed"));
  const int status = run(4, 30);
  EXPECT_NE(status, 0);
  EXPECT_NE(status, 124);
}

TEST_F(LiveProgram, SaysHowManyRanksItNeeds) {
  compile(scenario("endless-poll"));
  EXPECT_NE(run(1, 30), 0);
  EXPECT_NE(text_of(folder_ / "log").find("needs exactly 2 ranks"), std::string::npos);
}

}  // namespace
}  // namespace petri
