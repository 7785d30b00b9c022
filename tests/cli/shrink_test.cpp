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
  EXPECT_THAT(run.err, HasSubstr("no more verdicts are kept; a run that goes on with it asks again from here"));
  EXPECT_THAT(run.out, HasSubstr("1-minimal"));
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

}  // namespace
}  // namespace petri::cli::testing
