#include <gmock/gmock.h>

#include <sstream>

#include "harness/trace/read.hpp"
#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Eight ranks in a loop of six steps; rank 5 calls a barrier more in step 2.
std::string extra_barrier() {
  std::ostringstream out;
  out << R"({"petri":1,"job":"loop","world":8,"backend":"mpi","observed":{"verdict":"deadlock"}})" << '\n';
  int events = 0;
  for (int rank = 0; rank < 8; ++rank) {
    for (int step = 0; step < 6; ++step) {
      const auto call = [&](const std::string& what) {
        out << R"({"rank":)" << rank << "," << what << R"(,"step":)" << step << "}\n";
        ++events;
      };
      call(R"("op":"allreduce","count":1000,"dtype":"float32","reduce":"sum")");
      if (rank == 5 && step == 2) call(R"("op":"barrier")");
    }
  }
  out << R"({"end":true,"events":)" << events << "}\n";
  return out.str();
}

constexpr const char* kLegal = R"({"petri":1,"world":2}
{"rank":0,"op":"barrier"}
{"rank":1,"op":"barrier"}
{"end":true,"events":2}
)";

TEST(Shrink, AJobBecomesTheCulpritAndAWitness) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran run = scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "hang.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(without_seconds(run.out), golden("shrink.txt", run.out));
  const Scenario small = read_scenario(scratch.folder() / "small.jsonl");
  EXPECT_EQ(small.world(), 2);
  EXPECT_EQ(small.event_count(), 2U);
  EXPECT_EQ(small.header.expect->verdict, Verdict::deadlock);
  EXPECT_EQ(small.header.origin->source, "hang.jsonl");
  EXPECT_THAT(small.header.origin->ranks, ::testing::Contains(5));
  EXPECT_FALSE(small.header.observed.has_value());
  EXPECT_EQ(scratch.petri({"check", "--model-only", "small.jsonl"}).status, 0);
}

TEST(Shrink, TheResultIsTheSameWithManyThreadsAndAfterAResume) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "one.jsonl", "--journal", "verdicts", "hang.jsonl"}).status, 0);
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "two.jsonl", "-j", "2", "hang.jsonl"}).status, 0);
  EXPECT_EQ(scratch.read("two.jsonl"), scratch.read("one.jsonl"));
  const std::string verdicts = scratch.read("verdicts");
  scratch.write("verdicts", verdicts.substr(0, verdicts.size() / 2));
  const std::vector<std::string> again{"shrink",    "--no-live", "-o",        "three.jsonl",
                                       "--journal", "verdicts",  "hang.jsonl"};
  const Ran refused = scratch.petri(again);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--resume"));
  std::vector<std::string> resumed = again;
  resumed.emplace_back("--resume");
  ASSERT_EQ(scratch.petri(resumed).status, 0);
  EXPECT_EQ(scratch.read("three.jsonl"), scratch.read("one.jsonl"));
  EXPECT_EQ(scratch.read("verdicts"), verdicts);
}

TEST(Shrink, AJournalOfAnotherInputIsRefused) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "--journal", "verdicts", "hang.jsonl"}).status, 0);
  const Ran run = scratch.petri({"shrink", "--no-live", "--journal", "verdicts", "--resume", "hang.min.jsonl"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("another input"));
}

TEST(Shrink, ABudgetOfTestsIsSaidInTheClaim) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran run = scratch.petri({"shrink", "--no-live", "--max-tests", "2", "hang.jsonl"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("stopped early (by tests)"));
  EXPECT_THAT(run.out, Not(HasSubstr("1-minimal")));
}

TEST(Shrink, AScenarioWithoutFailureIsNotShrunk) {
  const Scratch scratch;
  scratch.write("legal.jsonl", kLegal);
  const Ran run = scratch.petri({"shrink", "legal.jsonl"});
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("completes"));
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "legal.min.jsonl"));
}

TEST(Shrink, AUsersOwnTestJudges) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran run = scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "--oracle",
                                 "grep -q '\"op\":\"barrier\"' scenario.jsonl", "hang.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  const Scenario small = read_scenario(scratch.folder() / "small.jsonl");
  EXPECT_EQ(small.world(), 1);
  EXPECT_EQ(small.event_count(), 1U);
  const Ran never = scratch.petri({"shrink", "--oracle", "false", "hang.jsonl"});
  EXPECT_EQ(never.status, 5);
}

TEST(Shrink, WrongUseAndBrokenInputAreToldApart) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  EXPECT_EQ(scratch.petri({"shrink"}).status, 2);
  EXPECT_EQ(scratch.petri({"shrink", "missing.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"shrink", "-o", "hang.jsonl", "hang.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"shrink", "--resume", "hang.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"shrink", "--k-of-n", "3/2", "hang.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"shrink", "--oracle", "no-such-program-of-petri", "hang.jsonl"}).status, 3);
  EXPECT_EQ(scratch.petri({"shrink", "--help"}).status, 0);
}

TEST(Shrink, APlaceThatCannotBeWrittenIsToldBeforeTheWork) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  for (const char* output : {"missing/small.jsonl", "."}) {
    const Ran run = scratch.petri({"shrink", "--no-live", "--journal", "verdicts", "-o", output, "hang.jsonl"});
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("cannot be written"));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "verdicts"));
}

TEST(Shrink, JsonIsOneObject) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran run = scratch.petri({"shrink", "--no-live", "--json", "hang.jsonl"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out.front(), '{');
  EXPECT_THAT(run.out, HasSubstr("\"claim\": \"1-minimal"));
  EXPECT_EQ(run.err, "");
}

}  // namespace
}  // namespace petri::cli::testing
