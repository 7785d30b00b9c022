// petri shrink with a predicate of the user's own.
#include <gmock/gmock.h>

#include <filesystem>

#include "harness/trace/read.hpp"
#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A predicate in which petri's diagnosis is searched for a text.
std::string asks_for(const std::string& text) {
  return "sh -c '\"" PETRI_PROGRAM "\" diagnose --json \"$0\" | grep -q \"" + text + "\"'";
}

TEST(ShrinkOracle, AUsersOwnTestJudges) {
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

TEST(ShrinkOracle, AUsersOwnTestDoesNotSeeTheFailureThatTheHeaderNames) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "hang.jsonl"}).status, 0);
  ASSERT_THAT(scratch.read("small.jsonl"), HasSubstr("A(allreduce@0"));
  const Ran run =
      scratch.petri({"shrink", "--no-live", "-o", "smaller.jsonl", "--oracle", "grep -q allreduce", "small.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_scenario(scratch.folder() / "smaller.jsonl").event_count(), 1U);
  EXPECT_THAT(run.out, HasSubstr("3 of 3 runs on the result show the failure"));
}

TEST(ShrinkOracle, AnOracleThatAcceptsTooMuchIsSuspected) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran all = scratch.petri({"shrink", "--no-live", "--oracle", "true", "hang.jsonl"});
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(all.out, HasSubstr("accepts a scenario without any call"));
  const Ran passing = scratch.petri({"shrink", "--no-live", "--oracle", "grep -q '\"step\":3'", "hang.jsonl"});
  EXPECT_EQ(passing.status, 0);
  EXPECT_THAT(passing.out, HasSubstr("nothing is wrong with what the oracle accepted"));
  const Ran right = scratch.petri({"shrink", "--no-live", "--oracle", asks_for("meets B"), "hang.jsonl"});
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_THAT(right.out, Not(HasSubstr("warning")));
}

TEST(ShrinkOracle, OneThatComesToAnotherFailureIsTold) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran any = scratch.petri({"shrink", "--no-live", "--oracle", asks_for("deadlock"), "hang.jsonl"});
  EXPECT_EQ(any.status, 0) << any.err;
  EXPECT_THAT(any.out, HasSubstr("\nwarning:     by the model the result is another failure than the input: deadlock: "
                                 "A(allreduce@0 waits for finalize) instead of deadlock: A(allreduce@0 meets B)"));
  const Ran json = scratch.petri({"shrink", "--no-live", "--json", "--oracle", asks_for("deadlock"), "hang.jsonl"});
  EXPECT_THAT(json.out, HasSubstr("\"warning\": \"by the model the result is another failure"));
}

TEST(ShrinkOracle, WhereTheModelFindsNothingInTheInputItHasNoSay) {
  const Scratch scratch;
  scratch.write("legal.jsonl", R"({"petri":1,"world":2}
{"rank":0,"op":"barrier","step":1}
{"rank":0,"op":"barrier","step":2}
{"rank":1,"op":"barrier","step":1}
{"rank":1,"op":"barrier","step":2}
{"end":true,"events":4}
)");
  const std::string both = "sh -c 'test $(grep -c .step.:2 scenario.jsonl) -eq 2'";
  const Ran legal = scratch.petri({"shrink", "--no-live", "--oracle", both, "legal.jsonl"});
  EXPECT_EQ(legal.status, 0) << legal.err;
  EXPECT_THAT(legal.out, Not(HasSubstr("warning")));
  const Ran drifts = scratch.petri(
      {"shrink", "--no-live", "--oracle", "sh -c 'grep -q world.:2 $0 && grep -q .rank.:0,.op $0'", "legal.jsonl"});
  EXPECT_EQ(drifts.status, 0) << drifts.err;
  EXPECT_THAT(drifts.out, HasSubstr("(barrier@0 waits for finalize) instead of completes"));
}

// No shell reads the line; quoted, they are text.
TEST(ShrinkOracle, AShellsOperatorsAreNoArguments) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  for (const char* oracle : {"grep barrier scenario.jsonl | wc", "true && false", "grep -q x >/dev/null", "true ; true",
                             "cat 2> out", "cat 2>&1", "cat < scenario.jsonl", "true&", "false || true"}) {
    const Ran run = scratch.petri({"shrink", "--no-live", "--oracle", oracle, "hang.jsonl"});
    EXPECT_EQ(run.status, 2) << oracle;
    EXPECT_THAT(run.err, HasSubstr("sh -c 'LINE'")) << oracle;
  }
  EXPECT_THAT(scratch.petri({"shrink", "--oracle", "cat 2> out", "hang.jsonl"}).err, HasSubstr("'2>' would be"));
  for (const char* oracle : {"grep -qE 'barrier|bcast'", R"(grep -qE "barrier|bcast")", R"(grep -q barrier\|bcast)"}) {
    const Ran run = scratch.petri({"shrink", "--no-live", "--oracle", oracle, "hang.jsonl"});
    EXPECT_NE(run.status, 2) << oracle << run.err;
  }
}

TEST(ShrinkOracle, AnInterpreterThatIsMissingIsNamed) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const auto with = [&](const std::string& line) {
    scratch.write("check", line + "\nexit 0\n");
    std::filesystem::permissions(scratch.folder() / "check", std::filesystem::perms::owner_all);
    const Ran run = scratch.petri({"shrink", "--no-live", "--oracle", "./check", "hang.jsonl"});
    EXPECT_EQ(run.status, 3) << line;
    return run.err;
  };
  EXPECT_THAT(with("#!/no/such/python9 -u"), HasSubstr("its interpreter /no/such/python9 is not there"));
  EXPECT_THAT(with("#!/usr/bin/env -S no-such-python9 -u"),
              HasSubstr("its interpreter no-such-python9 is not in PATH"));
  EXPECT_THAT(with("#!/bin/sh\r"), HasSubstr("carriage return"));
}

TEST(ShrinkOracle, TheClaimSaysOnHowManyRunsItRests) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::vector<std::string> shrink{"shrink", "--no-live", "--oracle", "grep -q barrier", "--k-of-n"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), shrink.begin(), shrink.end());
    more.emplace_back("hang.jsonl");
    return scratch.petri(more).out;
  };
  EXPECT_THAT(with({"2/3"}), HasSubstr("can be removed, as far as 2 of 3 runs tell\n"));
  EXPECT_THAT(with({"2/3", "--max-tests", "1"}), Not(HasSubstr("as far as")));
}

TEST(ShrinkOracle, CandidatesWithoutAnAnswerAreTold) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::string oracle = "sh -c 'grep -q barrier \"$0\" || exit 125'";
  const Ran run = scratch.petri({"shrink", "--no-live", "--oracle", oracle, "hang.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("can be removed, but for 1 removal without an answer"));
  EXPECT_THAT(run.out, HasSubstr("undecided: "));
  const Ran json = scratch.petri({"shrink", "--no-live", "--json", "--oracle", oracle, "hang.jsonl"});
  EXPECT_THAT(json.out, HasSubstr("\"undecided_singles\": 1,"));
  EXPECT_THAT(scratch.petri({"shrink", "--no-live", "hang.jsonl"}).out, Not(HasSubstr("undecided")));
}

TEST(ShrinkOracle, AMendedPredicateBeginsAnew) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const auto with = [&](const std::string& text) {
    scratch.write("check.sh", "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(scratch.folder() / "check.sh", std::filesystem::perms::owner_all);
    return scratch.petri(
        {"shrink", "--no-live", "-o", "small.jsonl", "--max-tests", "4", "--oracle", "./check.sh", "hang.jsonl"});
  };
  EXPECT_EQ(with("grep -q barrier scenario.jsonl").status, 0);
  EXPECT_THAT(with("grep -q barrier scenario.jsonl").err, HasSubstr("going on with"));
  EXPECT_EQ(with("grep -q allreduce scenario.jsonl").err, "");
}

TEST(ShrinkOracle, APredicateThatFindsNothingInTheInputIsExplained) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  scratch.write("check.sh",
                "#!/bin/sh\necho looking for a reduce >&2\ngrep -q '\"reduce\"$' scenario.jsonl || exit 7\n");
  const auto shrink = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"shrink", "--no-live", "--oracle", "./check.sh"});
    more.emplace_back("hang.jsonl");
    return scratch.petri(more);
  };
  const Ran closed = shrink({});
  EXPECT_EQ(closed.status, 3);
  EXPECT_THAT(closed.err, HasSubstr("chmod +x"));
  std::filesystem::permissions(scratch.folder() / "check.sh", std::filesystem::perms::owner_all);
  const Ran run = shrink({"--keep", "kept"});
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("the input does not fail (5 runs)"));
  EXPECT_THAT(run.err, HasSubstr("exit status 7"));
  EXPECT_THAT(run.err, HasSubstr("| looking for a reduce"));
  EXPECT_TRUE(std::filesystem::exists(scratch.folder() / "kept" / "scenario.jsonl"));
}

TEST(ShrinkOracle, APredicateThatHangsOnTheInputIsEndedAndSaidToBeSo) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran run = scratch.petri({"shrink", "--no-live", "--timeout", "0.2", "--oracle",
                                 "sh -c 'echo thinking; sleep 1000 & sleep 1000'", "hang.jsonl"});
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("no answer could be had"));
  EXPECT_THAT(run.err, HasSubstr("its limit of 0.2 s"));
  EXPECT_THAT(run.err, HasSubstr("| thinking"));
}

// Its state lies outside: every fifth run misses the failure.
TEST(ShrinkOracle, APredicateThatMissesOneInFiveIsFoundOutAndRepeatsHelp) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::string here = scratch.folder().string();
  scratch.write("check.sh", "#!/bin/sh\nread n < " + here + "/n; echo $((n + 1)) > " + here +
                                "/n\ntest $((n % 5)) -ne 3 || exit 1\ngrep -q '.op.:.barrier.' scenario.jsonl\n");
  std::filesystem::permissions(scratch.folder() / "check.sh", std::filesystem::perms::owner_all);
  const auto shrink = [&](std::vector<std::string> more) {
    scratch.write("n", "0\n");
    more.insert(more.begin(), {"shrink", "--no-live", "-o", "small.jsonl", "--oracle", "./check.sh"});
    more.emplace_back("hang.jsonl");
    return scratch.petri(more);
  };
  const Ran alone = shrink({});
  EXPECT_EQ(alone.status, 5);
  EXPECT_THAT(alone.err, HasSubstr("answers differently"));
  EXPECT_THAT(alone.err, HasSubstr("16 of 20"));
  EXPECT_THAT(alone.err, HasSubstr("--k-of-n 1/5"));
  const Ran repeated = shrink({"--k-of-n", "1/5"});
  EXPECT_EQ(repeated.status, 0) << repeated.err;
  const Scenario small = read_scenario(scratch.folder() / "small.jsonl");
  EXPECT_EQ(small.world(), 1);
  EXPECT_EQ(small.event_count(), 1U);
  EXPECT_THAT(repeated.out, HasSubstr("asked again: 3 of 3"));
}

// As C-Vise users write them.
TEST(ShrinkOracle, PredicatesMayRunPetriItself) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  scratch.write("interesting.sh", std::string("#!/bin/sh\nset -e\n'") + PETRI_PROGRAM +
                                      "' diagnose --json scenario.jsonl > out || test $? -eq 10\n"
                                      "grep -q 'allreduce@0 meets B' out\n");
  std::filesystem::permissions(scratch.folder() / "interesting.sh", std::filesystem::perms::owner_all);
  for (const char* oracle : {"./interesting.sh", "sh ./interesting.sh"}) {
    const Ran run =
        scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "-j", "2", "--oracle", oracle, "hang.jsonl"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read_scenario(scratch.folder() / "small.jsonl").event_count(), 2U);
  }
}

}  // namespace
}  // namespace petri::cli::testing
