// The worker under mpirun, without the recorder: does it perform what it is told?
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "harness/launch/mpirun.hpp"
#include "harness/launch/run_job.hpp"
#include "harness/trace/read.hpp"
#include "harness/worker/plan/operations.hpp"
#include "harness/worker/plan/refusal.hpp"

namespace petri {
namespace {

using End = JobResult::End;
using testing::HasSubstr;
using testing::IsEmpty;

JobResult perform(int world, const std::string& file, const std::vector<std::string>& more = {}) {
  JobOptions options;
  std::vector<std::string> arguments{file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  options.command = mpirun_command(world, PETRI_WORKER, arguments);
  options.capture_output = true;
  options.limit_s = 40;
  options.prepare = [](const std::filesystem::path& folder, GuardedCommand& command) {
    command.arguments.insert(command.arguments.end(), {"--files", folder.string()});
  };
  return run_job(options);
}

class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& lines)
      : name_(testing::TempDir() + "petri-worker-" + std::to_string(getpid())) {
    std::ofstream(name_) << lines;
  }
  ~ScenarioFile() { unlink(name_.c_str()); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

const std::string kOperations = std::string(PETRI_DATA) + "/operations";
const std::string kThreeRanks = kOperations + "/two_sided_and_collective.jsonl";

std::vector<std::string> operation_files() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(kOperations)) names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

// One file for each chapter: together they hold every operation that the worker performs.
class WorkerOperations : public testing::TestWithParam<std::string> {};

TEST_P(WorkerOperations, ArePerformed) {
  const std::string file = kOperations + "/" + GetParam() + ".jsonl";
  const Scenario scenario = read_scenario(file);
  ASSERT_FALSE(refusal_of(scenario).has_value());
  if (const auto missing = missing_for_replay(scenario)) GTEST_SKIP() << missing->reason;
  const JobResult result = perform(scenario.world(), file);
  EXPECT_EQ(result.end, End::by_itself);
  EXPECT_EQ(result.command.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

INSTANTIATE_TEST_SUITE_P(Chapters, WorkerOperations, testing::ValuesIn(operation_files()),
                         [](const auto& test) { return test.param; });

TEST(Worker, IsTestedWithEveryOperationThatItPerforms) {
  std::set<std::string_view> used;
  for (const std::string& name : operation_files()) {
    const Scenario scenario = read_scenario(kOperations + "/" + name + ".jsonl");
    for (const RankTrace& rank : scenario.ranks) {
      for (const Event& event : rank.events) used.insert(name_of(event.op));
    }
  }
  std::vector<std::string_view> untested;
  for (int op = 0; op < kOpCount; ++op) {
    const std::string_view name = name_of(static_cast<Op>(op));
    const bool ends_the_job = name == "abort" || name == "exit" || name == "init_thread";
    if (can_perform(static_cast<Op>(op)) && !ends_the_job && !used.contains(name)) untested.push_back(name);
  }
  EXPECT_THAT(untested, IsEmpty());
}

TEST(Worker, BlocksWhereTheScenarioBlocks) {
  const ScenarioFile file(R"({"petri":1,"job":"blocked","world":2}
{"rank":0,"op":"recv","peer":1,"count":1,"dtype":"int32"}
{"rank":1,"op":"recv","peer":0,"count":1,"dtype":"int32"}
{"end":true,"events":2}
)");
  JobOptions options;
  options.command = mpirun_command(2, PETRI_WORKER, {file.name()});
  options.capture_output = true;
  options.limit_s = 2;
  EXPECT_EQ(run_job(options).end, End::timed_out);
}

TEST(Worker, EndsWhenAllRanksHaveReachedTheEndOfTheirRecords) {
  const ScenarioFile file(R"({"petri":1,"job":"cut","world":3}
{"rank":0,"op":"barrier","comm":"world"}
{"rank":1,"op":"barrier"}
{"rank":2,"op":"barrier"}
{"rank":0,"end":"running"}
{"rank":1,"end":"cut"}
{"rank":2,"end":"running"}
{"end":true,"events":3}
)");
  const JobResult result = perform(3, file.name());
  EXPECT_EQ(result.end, End::by_itself);
  EXPECT_EQ(result.command.status, 0) << result.output;
}

TEST(Worker, DiesAsTheRecordSays) {
  const ScenarioFile file(R"({"petri":1,"job":"killed","world":2}
{"rank":0,"op":"barrier"}
{"rank":1,"op":"barrier"}
{"rank":1,"op":"barrier"}
{"rank":0,"end":"signal","signal":11}
{"rank":1,"end":"running"}
{"end":true,"events":3}
)");
  const JobResult result = perform(2, file.name());
  EXPECT_EQ(result.end, End::by_itself);
  EXPECT_EQ(result.command.status, 128 + 11) << result.output;
}

TEST(Worker, ExitsWithTheRecordedStatus) {
  const ScenarioFile file(R"({"petri":1,"job":"exits","world":2}
{"rank":0,"op":"exit"}
{"rank":1,"op":"barrier"}
{"rank":0,"end":"exited","status":7}
{"rank":1,"end":"running"}
{"end":true,"events":2}
)");
  EXPECT_EQ(perform(2, file.name()).command.status, 7);
}

TEST(Worker, RefusesAWorldOfAnotherSize) {
  const JobResult result = perform(2, kThreeRanks);
  EXPECT_NE(result.command.status, 0);
  EXPECT_THAT(result.output, HasSubstr("the scenario has 3 ranks, this job 2"));
}

}  // namespace
}  // namespace petri
