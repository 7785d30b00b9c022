// The jobs themselves: legal, deterministic, and of the size that is asked for.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"
#include "tests/jobs/job.hpp"

namespace petri::jobs {
namespace {

std::string text_of(const Scenario& scenario) {
  std::ostringstream out;
  write_scenario(scenario, out);
  return out.str();
}

class CleanJob : public testing::TestWithParam<Generator> {};

TEST_P(CleanJob, Completes) {
  for (const std::int32_t world : {4, 6, 8, 9, 16, 24, 64}) {
    const Diagnosis diagnosis = diagnose(GetParam().make({world, 3, 1}).scenario);
    EXPECT_EQ(diagnosis.verdict, Verdict::completes)
        << world << " ranks: " << (diagnosis.findings.empty() ? "" : diagnosis.findings.front().text);
  }
}

TEST_P(CleanJob, CompletesWithAThousandRanks) {
  const Diagnosis diagnosis = diagnose(GetParam().make({1024, 1, 1}).scenario);
  EXPECT_EQ(diagnosis.verdict, Verdict::completes)
      << (diagnosis.findings.empty() ? "" : diagnosis.findings.front().text);
}

TEST_P(CleanJob, IsTheSameEachTime) {
  EXPECT_EQ(text_of(GetParam().make({16, 2, 5}).scenario), text_of(GetParam().make({16, 2, 5}).scenario));
}

TEST_P(CleanJob, SurvivesTheRoundTripThroughAFile) {
  const std::string text = text_of(GetParam().make({8, 2, 1}).scenario);
  std::istringstream in(text);
  EXPECT_EQ(text_of(read_scenario(in, "job")), text);
}

TEST_P(CleanJob, MeetsOnceInEachStep) {
  const Job job = GetParam().make({8, 3, 1});
  for (std::int32_t rank = 0; rank < 8; ++rank)
    for (std::int32_t step = 0; step < 3; ++step) {
      const Event& event = at(job.scenario, {rank, meeting_of(job, rank, step)});
      EXPECT_EQ(event.step, step);
      EXPECT_EQ(event.comm, job.wide);
    }
}

INSTANTIATE_TEST_SUITE_P(Jobs, CleanJob, testing::ValuesIn(generators()),
                         [](const auto& job) { return std::string(job.param.name); });

}  // namespace
}  // namespace petri::jobs
