#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
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

TEST(Shrink, AUsersOwnTestDoesNotSeeTheFailureThatTheHeaderNames) {
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

TEST(Shrink, AnOracleThatAcceptsTooMuchIsSuspected) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const Ran all = scratch.petri({"shrink", "--no-live", "--oracle", "true", "hang.jsonl"});
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(all.out, HasSubstr("accepts a scenario without any call"));
  const Ran passing = scratch.petri({"shrink", "--no-live", "--oracle", "grep -q '\"step\":3'", "hang.jsonl"});
  EXPECT_EQ(passing.status, 0);
  EXPECT_THAT(passing.out, HasSubstr("nothing is wrong with what the oracle accepted"));
  const Ran right = scratch.petri({"shrink", "--no-live", "--oracle",
                                   "sh -c 'test $(" PETRI_PROGRAM " diagnose --json \"$0\" | grep -c deadlock) -gt 0'",
                                   "hang.jsonl"});
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_THAT(right.out, Not(HasSubstr("warning")));
}

TEST(Shrink, CandidatesWithoutAnAnswerAreTold) {
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

TEST(Shrink, TheResultGoesToStandardOutputByADash) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "hang.jsonl"}).status, 0);
  const Ran run = scratch.petri({"shrink", "--no-live", "-o", "-", "hang.jsonl"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, scratch.read("small.jsonl"));
  EXPECT_THAT(run.err, HasSubstr("1-minimal"));
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "-"));
  EXPECT_EQ(scratch.petri({"shrink", "--no-live", "--json", "-o", "-", "hang.jsonl"}).status, 2);
  for (const char* command : {"replay", "record"})
    EXPECT_EQ(scratch.petri({command, "-o", "-", "hang.jsonl", "--", "true"}).status, 2) << command;
}

// The name is looked at before the input is read: what stands in its way is told.
TEST(Shrink, AFolderGivesTheResultItsName) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.folder() / "ranks.of.mine" / "ranks.of.mine.min.jsonl");
  for (const char* input : {".", "./", "../ranks.of.mine/"}) {
    const Ran run = scratch.run({"sh", "-c", "cd ranks.of.mine && exec \"$@\"", "sh", PETRI_PROGRAM, "shrink", input});
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("ranks.of.mine.min.jsonl: cannot be written: is a folder")) << input;
  }
}

TEST(Shrink, FailuresThatAreNotKeptAreTold) {
  const Scratch scratch;
  scratch.write("two.jsonl", R"({"petri":1,"world":4}
{"rank":0,"op":"send","peer":0,"count":1,"dtype":"int32"}
{"rank":1,"op":"recv","peer":2}
{"rank":2,"op":"recv","peer":1}
{"rank":3,"op":"irecv","peer":3,"request":1}
{"end":true,"events":4}
)");
  const Ran run = scratch.petri({"shrink", "--no-live", "two.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("not kept:    2 other failures of the input"));
  EXPECT_THAT(run.out, HasSubstr("send@0 waits for itself"));
  const Ran json = scratch.petri({"shrink", "--no-live", "--json", "two.jsonl"});
  EXPECT_THAT(json.out, HasSubstr("\"other_failures\": ["));
}

TEST(Shrink, WhatAnEarlierRunFoundIsKept) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::vector<std::string> shrink{"shrink", "--no-live", "--also-found", "also", "hang.jsonl"};
  ASSERT_EQ(scratch.petri(shrink).status, 0);
  const std::string first = scratch.read("also/also-1.jsonl");
  ASSERT_FALSE(first.empty());
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(scratch.folder() / "also"),
                         std::filesystem::directory_iterator());
  };
  const auto before = files();
  ASSERT_EQ(scratch.petri(shrink).status, 0);
  EXPECT_EQ(files(), before) << "the same run finds the same";
  scratch.write("also/also-1.jsonl", "another run's\n");
  ASSERT_EQ(scratch.petri(shrink).status, 0);
  EXPECT_EQ(scratch.read("also/also-1.jsonl"), "another run's\n");
  EXPECT_EQ(files(), before + 1);
}

// The predicate itself sends the signals, in its eighth and its tenth run.
TEST(Shrink, AnInterruptedRunGoesOnByTheSameCommand) {
  const Scratch scratch;
  const std::string here = scratch.folder().string();
  scratch.write("hang.jsonl", extra_barrier());
  scratch.write("n", "0\n");
  scratch.write("check.sh", "read n < " + here + "/n; echo $((n + 1)) > " + here +
                                "/n\ncase $n in 7) kill -INT $(cat " + here + "/pid);; 9) kill -TERM $(cat " + here +
                                "/pid);; esac\ngrep -q .op.:.barrier. scenario.jsonl\n");
  const std::vector<std::string> shrink{"sh",
                                        "-c",
                                        "echo $$ > pid; exec \"$@\"",
                                        "sh",
                                        PETRI_PROGRAM,
                                        "shrink",
                                        "--no-live",
                                        "-o",
                                        "small.jsonl",
                                        "--oracle",
                                        "sh ./check.sh",
                                        "hang.jsonl"};
  for (const int status : {130, 143}) {
    const Ran run = scratch.run(shrink);
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_THAT(run.out, HasSubstr("stopped early (by request"));
    EXPECT_THAT(run.out, HasSubstr("the same command again"));
    EXPECT_TRUE(std::filesystem::exists(scratch.folder() / "small.jsonl.journal"));
  }
  const Ran resumed = scratch.run(shrink);
  EXPECT_EQ(resumed.status, 0);
  EXPECT_THAT(resumed.err, HasSubstr("going on with"));
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "small.jsonl.journal"));
  const Ran anew = scratch.run(shrink);
  EXPECT_EQ(anew.err, "");
  EXPECT_THAT(anew.out, HasSubstr("1-minimal"));
}

TEST(Shrink, AMendedPredicateBeginsAnew) {
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

// A slow rank is one only because the job was seen to hang: the reproducer has to say so, or it completes.
TEST(Shrink, AFailureThatRestsOnWhatWasObservedKeepsIt) {
  const Scratch scratch;
  scratch.write("slow.jsonl", R"({"petri":1,"world":2,"observed":{"verdict":"deadlock"}}
{"rank":0,"op":"sleep"}
{"rank":0,"op":"barrier"}
{"rank":1,"op":"barrier"}
{"end":true,"events":3}
)");
  EXPECT_EQ(scratch.petri({"shrink", "--no-live", "-o", "small.jsonl", "slow.jsonl"}).status, 0);
  EXPECT_EQ(scratch.petri({"diagnose", "small.jsonl"}).status, 15);
  EXPECT_EQ(scratch.petri({"check", "--model-only", "small.jsonl"}).status, 0);
}

TEST(Shrink, AFullDiscForTheJournalEndsNothing) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  // What petri prints goes through a pipe, which has no such limit.
  const Ran run = scratch.run({"bash", "-o", "pipefail", "-c", "(ulimit -f 1; exec \"$@\") | cat", "bash",
                               PETRI_PROGRAM, "shrink", "--no-live", "-o", "small.jsonl", "hang.jsonl"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("going on without it"));
  EXPECT_THAT(run.out, HasSubstr("1-minimal"));
}

TEST(Shrink, APredicateThatFindsNothingInTheInputIsExplained) {
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

TEST(Shrink, APredicateThatHangsOnTheInputIsEndedAndSaidToBeSo) {
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
TEST(Shrink, APredicateThatMissesOneInFiveIsFoundOutAndRepeatsHelp) {
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
TEST(Shrink, PredicatesMayRunPetriItself) {
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

// What petri writes to a terminal of so many columns.
std::string on_terminal(const Scratch& scratch, const std::vector<std::string>& args, unsigned short columns) {
  int master = -1;
  const winsize size{24, columns, 0, 0};
  const pid_t pid = forkpty(&master, nullptr, nullptr, &size);
  if (pid == 0) {
    setenv("TERM", "xterm", 1);
    if (chdir(scratch.folder().c_str()) != 0) _exit(127);
    std::vector<char*> argv{const_cast<char*>(PETRI_PROGRAM)};
    for (const std::string& word : args) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(master, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  close(master);
  waitpid(pid, nullptr, 0);
  return text;
}

TEST(Shrink, ProgressIsOneLineOfTheTerminalAndGoesAtTheEnd) {
  const Scratch scratch;
  scratch.write("hang.jsonl", extra_barrier());
  const std::string text = on_terminal(
      scratch, {"shrink", "--no-live", "--oracle", "sh -c 'sleep 0.06; grep -q barrier scenario.jsonl'", "hang.jsonl"},
      50);
  const std::string anew = "\r\x1b[K";
  ASSERT_THAT(text, HasSubstr(anew));
  std::string last;
  int lines = 0;
  for (std::size_t at = text.find(anew); at != std::string::npos; ++lines) {
    const std::size_t end = text.find(anew, at + 1);
    last = text.substr(at + anew.size(), end == std::string::npos ? end : end - at - anew.size());
    if (end != std::string::npos) {
      EXPECT_LE(last.size(), 49U) << last;
      EXPECT_THAT(last, HasSubstr(" rank"));
    }
    at = end;
  }
  EXPECT_GT(lines, 2);
  EXPECT_THAT(last, ::testing::StartsWith("from:"));  // nothing of the line is left
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

TEST(Shrink, WritesToWhatIsNoFileAndBehindLinks) {
  const Scratch scratch;
  scratch.write("hang.jsonl", R"({"petri":1,"world":2,"backend":"mpi"}
{"rank":0,"op":"barrier"}
{"end":true,"events":1}
)");
  std::filesystem::create_symlink("real.jsonl", scratch.folder() / "link");
  ASSERT_EQ(scratch.petri({"shrink", "--no-live", "-o", "link", "hang.jsonl"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.folder() / "link"));
  const std::string shrunk = scratch.read("real.jsonl");
  EXPECT_THAT(shrunk, ::testing::HasSubstr("deadlock"));
  const char* const script = R"("$1" shrink --no-live -o /dev/fd/3 hang.jsonl 3>&1 >/dev/null | cat >piped.jsonl)";
  scratch.run({"sh", "-c", script, "sh", PETRI_PROGRAM});
  EXPECT_EQ(scratch.read("piped.jsonl"), shrunk);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.folder()), {}), 4) << "nothing else is left";
}

}  // namespace
}  // namespace petri::cli::testing
