#include <gmock/gmock.h>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;

std::string reproducer(const std::string& expect) {
  return R"({"petri":1,"world":2,"backend":"mpi",)" + expect + R"(}
{"rank":0,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum"}
{"rank":0,"op":"barrier"}
{"rank":1,"op":"barrier"}
{"rank":1,"op":"allreduce","count":4,"dtype":"float32","reduce":"sum"}
{"end":true,"events":4}
)";
}

const std::string kMet = reproducer(R"("expect":{"verdict":"deadlock"})");
const std::string kMissed = reproducer(R"("expect":{"verdict":"completes"})");

TEST(Check, AllReproducersBelowAFolderAreJudged) {
  const Scratch scratch;
  scratch.write("cases/swap/scenario.jsonl", kMet);
  scratch.write("cases/wrong/scenario.jsonl", kMissed);
  scratch.write("cases/.hidden/scenario.jsonl", "not read");
  scratch.write("cases/swap/README.md", "not read");
  const Ran run = scratch.petri({"check", "--model-only", "--junit", "results.xml", "cases"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, golden("check.txt", run.out));
  EXPECT_THAT(scratch.read("results.xml"), HasSubstr("failures=\"1\""));
  EXPECT_EQ(scratch.petri({"check", "--model-only", "cases/swap"}).status, 0);
}

TEST(Check, ASignatureIsComparedWhereItIsGiven) {
  const Scratch scratch;
  scratch.write("a.jsonl", reproducer(R"("expect":{"verdict":"deadlock","signature":"deadlock: something else"})"));
  const Ran run = scratch.petri({"check", "--model-only", "a.jsonl"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("something else"));
}

TEST(Check, UnreadableIsAnotherStatusThanMissed) {
  const Scratch scratch;
  scratch.write("broken.jsonl", "{\"petri\":7}\n");
  scratch.write("cut.jsonl", kMet.substr(0, kMet.rfind("{\"end\"")));
  scratch.write("free.jsonl", reproducer(R"("job":"no expectation")"));
  for (const char* name : {"broken.jsonl", "cut.jsonl", "free.jsonl", "missing.jsonl"}) {
    EXPECT_EQ(scratch.petri({"check", "--model-only", name}).status, 2) << name;
  }
  EXPECT_EQ(scratch.petri({"check", "--model-only", "--live-only", "free.jsonl"}).status, 2);
  EXPECT_EQ(scratch.petri({"check"}).status, 2);
}

// They are no reproducers: nothing was to be checked. What could not be tried is another matter.
TEST(Check, ScenariosWithoutExpectationMayBePassedOver) {
  const Scratch scratch;
  scratch.write("free.jsonl", reproducer(R"("job":"no expectation")"));
  scratch.write("met.jsonl", kMet);
  scratch.write("nowhere.jsonl", reproducer(R"("expect":{"verdict":"deadlock"},"x_live":"no: only some orders fail")"));
  const Ran alone = scratch.petri({"check", "--model-only", "--allow-no-expect", "free.jsonl"});
  EXPECT_EQ(alone.status, 0) << alone.out;
  EXPECT_THAT(alone.out, HasSubstr("1 check: 0 met, 0 missed, 0 inconclusive, 0 unreadable, 1 skipped"));
  EXPECT_EQ(scratch.petri({"check", "--model-only", "--allow-no-expect", "free.jsonl", "met.jsonl"}).status, 0);
  EXPECT_EQ(scratch.petri({"check", "--live-only", "--allow-no-expect", "free.jsonl", "nowhere.jsonl"}).status, 3);
}

// What cannot be read is pointed at by its own line, whatever the message says.
TEST(Check, ReportsPointAtTheLineThatCannotBeRead) {
  const Scratch scratch;
  std::string broken = kMet;
  broken.replace(broken.find("barrier"), 7, "barier");
  scratch.write("broken:7:1.jsonl", broken);
  const Ran run = scratch.petri({"check", "--model-only", "--report", "github", "broken:7:1.jsonl"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.out, HasSubstr("line=3")) << run.out;
}

// An abort comes first, being an error of a rank; what was to stay away is there all the same.
TEST(Check, AGuardedFailureIsSeenBehindAnotherOne) {
  const Scratch scratch;
  scratch.write("a.jsonl", types_behind_an_abort("uint32"));
  const Ran back = scratch.petri({"check", "--model-only", "a.jsonl"});
  EXPECT_EQ(back.status, 1);
  EXPECT_THAT(back.out, HasSubstr("model: the failure is back (behind another one: rank-error: abort): "
                                  "mismatch: allreduce@0 dtype"));
  scratch.write("a.jsonl", types_behind_an_abort("int32"));
  EXPECT_EQ(scratch.petri({"check", "--model-only", "a.jsonl"}).status, 0);
}

TEST(Check, ALiveReplayThatMakesNoSenseIsSkippedWithItsReason) {
  const Scratch scratch;
  scratch.write("a.jsonl", reproducer(R"("expect":{"verdict":"deadlock"},"x_live":"no: only some orders fail")"));
  const Ran run = scratch.petri({"check", "--live-only", "a.jsonl"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.out, HasSubstr("live: skipped (only some orders fail)"));
}

TEST(Check, JsonHoldsBothSidesAndTheCallToLookAt) {
  const Scratch scratch;
  scratch.write("a.jsonl", reproducer(R"("expect":{"verdict":"completes"})"));
  const Ran run = scratch.petri({"check", "--model-only", "--json", "a.jsonl"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("\"expected\": \"completes\""));
  EXPECT_THAT(run.out, HasSubstr("\"actual\": \"deadlock: A(allreduce@0 meets B) B(barrier@0 meets A)\""));
  EXPECT_THAT(run.out, ::testing::ContainsRegex("\"line\": [45]"));  // either call of rank 1
}

TEST(Check, ACommandWithoutAScenarioIsNoGuard) {
  const Scratch scratch;
  scratch.write("kept/a/scenario.jsonl", kMet);
  scratch.write("kept/b/reproducer.json", R"({"command":["true"]})");
  const Ran run = scratch.petri({"check", "--model-only", "kept"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("kept/b/reproducer.json: there is no scenario beside it"));
}

TEST(Check, JsonIsOneObject) {
  const Scratch scratch;
  scratch.write("a.jsonl", kMet);
  const Ran run = scratch.petri({"check", "--model-only", "--json", "a.jsonl"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("\"met\": 1"));
}

}  // namespace
}  // namespace petri::cli::testing
