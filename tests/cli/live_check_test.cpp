#include <gmock/gmock.h>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;

std::string two_ranks(const std::string& verdict, const std::string& last) {
  return R"({"petri":1,"world":2,"backend":"mpi","expect":{"verdict":")" + verdict + R"("}}
{"rank":0,"op":"barrier"}
{"rank":0,"op":")" +
         last + R"("}
{"rank":1,"op":"barrier"}
{"rank":1,"op":"finalize"}
{"end":true,"events":4}
)";
}

TEST(LiveCheck, AHangIsReproducedAndALegalRunComesToItsEnd) {
  const Scratch scratch;
  scratch.write("hang.jsonl", two_ranks("deadlock", "barrier"));
  scratch.write("legal.jsonl", two_ranks("completes", "finalize"));
  const Ran run = scratch.petri({"check", "--live-only", "hang.jsonl", "legal.jsonl"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("2 met"));
}

TEST(LiveCheck, AnExpectationThatTheRunDoesNotMeetIsMissed) {
  const Scratch scratch;
  scratch.write("legal.jsonl", two_ranks("deadlock", "finalize"));
  EXPECT_EQ(scratch.petri({"check", "--live-only", "legal.jsonl"}).status, 1);
}

TEST(LiveCheck, AGuardedFailureIsSeenBehindAnotherOne) {
  const Scratch scratch;
  scratch.write("a.jsonl", types_behind_an_abort("uint32"));
  const Ran back = scratch.petri({"check", "--live-only", "a.jsonl"});
  EXPECT_EQ(back.status, 1) << back.out << back.err;
  EXPECT_THAT(back.out, HasSubstr("live: the failure is back (behind another one: rank-error: abort): "
                                  "mismatch: allreduce@0 dtype"));
  scratch.write("a.jsonl", types_behind_an_abort("int32"));
  const Ran absent = scratch.petri({"check", "--live-only", "a.jsonl"});
  EXPECT_EQ(absent.status, 0) << absent.out << absent.err;
}

TEST(LiveCheck, ACheckThatTakesTooLongIsEndedAndFails) {
  const Scratch scratch;
  scratch.write("slow.jsonl", R"({"petri":1,"world":2,"backend":"mpi","expect":{"verdict":"completes"}}
{"rank":0,"op":"sleep","value":"30"}
{"rank":0,"op":"barrier"}
{"rank":1,"op":"barrier"}
{"end":true,"events":3}
)");
  const Ran run = scratch.petri({"check", "--live-only", "--timeout", "0.05", "slow.jsonl"});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("no result within 0.05 s"));
}

TEST(LiveShrink, WhereNeitherTheModelNorAReplayFailsThereIsNothingToShrink) {
  const Scratch scratch;
  scratch.write("legal.jsonl", two_ranks("completes", "finalize"));
  const Ran run = scratch.petri({"shrink", "--oracle", "live", "legal.jsonl"});
  EXPECT_EQ(run.status, 5) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("a replay came to its end"));
}

TEST(LiveShrink, TheModelFiltersWhatIsReplayed) {
  const Scratch scratch;
  scratch.write("hang.jsonl", two_ranks("deadlock", "barrier"));
  const Ran run = scratch.petri({"shrink", "--oracle", "live", "-o", "small.jsonl", "hang.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1-minimal"));
  EXPECT_EQ(scratch.petri({"check", "--live-only", "small.jsonl"}).status, 0);
}

TEST(LiveShrink, TheResultIsConfirmedByAReplay) {
  const Scratch scratch;
  scratch.write("hang.jsonl", two_ranks("deadlock", "barrier"));
  const Ran run = scratch.petri({"shrink", "hang.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("live:        confirmed: deadlock under mpirun -n 2"));
}

TEST(LiveShrink, ReplaysCanJudgeThemselves) {
  const Scratch scratch;
  scratch.write("hang.jsonl", two_ranks("deadlock", "barrier"));
  const Ran run = scratch.petri({"shrink", "--oracle", "live", "--max-tests", "6", "hang.jsonl"}, 120);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("live:        confirmed"));
}

}  // namespace
}  // namespace petri::cli::testing
