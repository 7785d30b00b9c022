// petri check --run-commands: reproducers that guard a program.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "harness/launch/process_tree.hpp"
#include "tests/cli/petri_process.hpp"
#include "tests/support/mpi_environment.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Two ranks with different calls after a barrier: what `ends_as_told swap` does.
constexpr const char* kSwap = R"({"petri":1,"world":2,"backend":"mpi","expect":{"verdict":"deadlock"}}
{"rank":0,"op":"barrier"}
{"rank":0,"op":"barrier"}
{"rank":1,"op":"barrier"}
{"rank":1,"op":"allreduce","count":1,"dtype":"int32","reduce":"sum"}
{"end":true,"events":4}
)";

class CommandCheck : public ::testing::Test {
 protected:
  // A reproducer of the swap with this reproducer.json, checked with its command.
  Ran check(const std::string& json, std::vector<std::string> more = {}) const {
    scratch.write("r/scenario.jsonl", scenario);
    scratch.write("r/reproducer.json", json);
    std::vector<std::string> args{"check", "--run-commands", "--commands-only", "--program-path", PETRI_PROGRAMS};
    args.insert(args.end(), more.begin(), more.end());
    args.emplace_back("r");
    return scratch.petri(args, 120);
  }

  static std::string told(const std::string& way, const std::string& more = "") {
    return R"({"command":["ends_as_told",")" + way + "\"]" + more + "}";
  }

  void script(const std::string& name, const std::string& text) const {
    chmod(scratch.write(name, "#!/bin/sh\n" + text).c_str(), 0755);
  }

  Scratch scratch;
  std::string scenario = kSwap;
};

TEST_F(CommandCheck, FailsWhenTheFailureComesBack) {
  const Ran run = check(told("swap"), {"--junit", "results.xml"});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("the failure is back in run 1 of mpirun -n 2: deadlock: A(allreduce@0"));
  EXPECT_THAT(scratch.read("results.xml"), AllOf(HasSubstr("failures=\"1\""), HasSubstr("ends_as_told.cpp:")));
}

TEST_F(CommandCheck, TheFailureIsKnownAgainAtAnotherNumberOfRanks) {
  const Ran run = check(told("swap", R"(,"ranks":5)"));
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("back in run 1 of mpirun -n 5"));
}

// It completes with one order of messages, and another would have been another result.
TEST_F(CommandCheck, ARaceThatCompletesIsFoundInARecording) {
  test::allow_root_and_oversubscription();
  const std::string program = PETRI_PROGRAMS "/ends_as_told";
  const Ran recorded =
      scratch.petri({"record", "--dir", "records", "-o", "x.jsonl", "--", "mpirun", "-n", "3", program, "mix"});
  EXPECT_EQ(recorded.status, 13) << recorded.err;
  EXPECT_EQ(scratch.petri({"check", "--add", "records", "--to", "kept", "--", program, "mix"}).status, 0);
  const Ran run = scratch.petri({"check", "--run-commands", "--commands-only", "kept"});
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_THAT(run.out, HasSubstr("the failure is back in run 1 of mpirun -n 3: race"));
}

TEST_F(CommandCheck, ANewGuardIsTriedWhileTheBugIsThere) {
  scratch.write("swap.jsonl", kSwap);
  const auto add = [&](const std::string& name, const std::string& program, const std::string& way) {
    return scratch.petri({"check", "--add", "swap.jsonl", "--name", name, "--run-commands", "--program-path",
                          PETRI_PROGRAMS, "--", program, way});
  };
  const Ran guards = add("a", "ends_as_told", "swap");
  EXPECT_EQ(guards.status, 0) << guards.out << guards.err;
  EXPECT_THAT(guards.out, HasSubstr("guards: the failure is back in run 1"));
  const Ran none = add("b", "ends_as_told", "fixed");
  EXPECT_EQ(none.status, 5) << none.out << none.err;
  EXPECT_THAT(none.out, AllOf(HasSubstr("guards nothing yet: completes"),
                              HasSubstr("petri check --run-commands --commands-only scenarios/b")));
  EXPECT_EQ(add("c", "no-such-program", "").status, 3);
}

// Two ranks that reduce different types: what `ends_as_told types` does.
constexpr const char* kTypes = R"({"petri":1,"world":2,"backend":"mpi","expect":{"verdict":"mismatch"}}
{"rank":0,"op":"allreduce","count":1,"dtype":"int32","reduce":"sum"}
{"rank":1,"op":"allreduce","count":1,"dtype":"uint32","reduce":"sum"}
{"end":true,"events":2}
)";

TEST_F(CommandCheck, WhatARingLostIsNotAbsent) {
  scenario = kTypes;
  for (const char* way : {"types-often", "often"}) {
    const Ran lost = check(told(way, R"(,"ring":1,"retries":0)"));
    EXPECT_EQ(lost.status, 4) << lost.out << lost.err;
    EXPECT_THAT(lost.out, AllOf(HasSubstr("inconclusive"), HasSubstr("overwritten"), HasSubstr("\"ring\"")));
  }
  const Ran kept = check(told("types-often", R"(,"ring":64)"));
  EXPECT_EQ(kept.status, 1) << kept.out;
  EXPECT_THAT(kept.out, HasSubstr("the failure is back in run 1 of mpirun -n 2: mismatch"));
}

TEST_F(CommandCheck, WhatARingLostIsRecordedAgainWithALargerOne) {
  scenario = kTypes;
  const Ran back = check(told("types-often", R"(,"ring":1)"));
  EXPECT_EQ(back.status, 1) << back.out;
  EXPECT_THAT(back.out, HasSubstr("the failure is back in run 2 of mpirun -n 2: mismatch"));
  const Ran absent = check(told("often", R"(,"ring":1)"));
  EXPECT_EQ(absent.status, 0) << absent.out;
  EXPECT_THAT(absent.out, AllOf(HasSubstr("absent from one run of mpirun -n 2; 1 run proved nothing (the first"),
                                HasSubstr("then with 4 MiB for each rank's events: \"ring\":4 in reproducer.json")));
}

TEST_F(CommandCheck, TheFailureIsSeenBehindAnAllowedOne) {
  scenario = kTypes;
  for (const char* more : {"", R"(,"allow":["rank-error"])"}) {
    const Ran run = check(told("types-abort", more));
    EXPECT_EQ(run.status, 1) << run.out;
    EXPECT_THAT(run.out, HasSubstr("the failure is back in run 1 of mpirun -n 2 (behind another one: rank-error"));
  }
}

TEST_F(CommandCheck, WhatTheFailureCannotBeSeenWithoutIsRecorded) {
  test::allow_root_and_oversubscription();
  const std::string program = PETRI_PROGRAMS "/ends_as_told";
  const Ran recorded =
      scratch.petri({"record", "--buffers", "-o", "x.jsonl", "--", "mpirun", "-n", "2", program, "share"});
  EXPECT_EQ(recorded.status, 16) << recorded.err;
  EXPECT_EQ(scratch.petri({"check", "--add", "x.jsonl", "--to", "kept", "--", program, "share"}).status, 0);
  EXPECT_THAT(scratch.read("kept/x/reproducer.json"), HasSubstr(R"("record":["buffers"])"));
  const Ran run = scratch.petri({"check", "--run-commands", "--commands-only", "kept"});
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_THAT(run.out, HasSubstr("the failure is back"));
}

TEST_F(CommandCheck, RunsThatProvedNothingAreNotCounted) {
  script("r/late", R"sh(ln -s "$PETRI_RECORD_DIR" "$1/first" 2>/dev/null
test "$(readlink "$1/first")" = "$PETRI_RECORD_DIR" && exec "$2" compute
exec "$2" fixed
)sh");
  const Ran run = check(R"({"command":["./late","{folder}",")" PETRI_PROGRAMS R"(/ends_as_told"],"timeout":3})");
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("absent from one run of mpirun -n 2; 1 run proved nothing ("));
}

TEST_F(CommandCheck, FewerRanksThanTheScenarioHasAreTold) {
  EXPECT_THAT(check(told("fixed", R"(,"ranks":1)")).out,
              HasSubstr("guards with 1 rank only, where the scenario has 2"));
}

TEST_F(CommandCheck, WithoutAnyCommandThereIsNothingToCheck) {
  scratch.write("r/scenario.jsonl", kSwap);
  const Ran run = scratch.petri({"check", "--run-commands", "--commands-only", "r"});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.err, HasSubstr("none of 1 reproducer has a command"));
}

TEST_F(CommandCheck, IsMetWhenTheProgramCompletes) {
  const Ran run = check(told("fixed"));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("completes; absent from one run of mpirun -n 2"));
}

TEST_F(CommandCheck, NothingIsRunUnlessItIsAskedFor) {
  scratch.write("r/scenario.jsonl", kSwap);
  scratch.write("r/reproducer.json", R"({"command":["/bin/touch","{folder}/was-run"]})");
  const Ran run = scratch.petri({"check", "--model-only", "r"});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("command: skipped (its command is run with --run-commands only)"));
  EXPECT_FALSE(fs::exists(scratch.folder() / "r/was-run"));
  EXPECT_EQ(scratch.petri({"check", "--commands-only", "r"}).status, 2);
}

TEST_F(CommandCheck, AnotherFailureIsToldApartAndMayBeAllowed) {
  const Ran other = check(told("abort"));
  EXPECT_EQ(other.status, 1) << other.out;
  EXPECT_THAT(other.out, AllOf(HasSubstr("failed differently"), HasSubstr("rank-error")));
  const Ran allowed = check(told("abort", R"(,"allow":["rank-error"])"));
  EXPECT_EQ(allowed.status, 0) << allowed.out;
  const Ran status = check(told("status"));
  EXPECT_EQ(status.status, 1);
  EXPECT_THAT(status.out, HasSubstr("rank-error: exit status"));
}

TEST_F(CommandCheck, RunsThatTellNothingAreRepeatedAndNeverMet) {
  const Ran run = check(told("compute", R"(,"timeout":1,"retries":1)"));
  EXPECT_EQ(run.status, 4) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("inconclusive (2 runs of mpirun -n 2 told nothing"), HasSubstr("no proof")));
}

TEST_F(CommandCheck, OfWhatAProgramPrintsTheEndIsTold) {
  const Ran run = check(told("print", R"(,"timeout":2,"retries":0)"), {"--json"});
  EXPECT_EQ(run.status, 4) << run.out.substr(0, 1000);
  EXPECT_THAT(run.out, HasSubstr("again and again"));
  EXPECT_LT(run.out.size(), 100'000U);
}

TEST_F(CommandCheck, WhatIsMissingIsInconclusive) {
  for (const char* program : {"no-such-program", "./no-such-program", "{folder}/scenario.jsonl", "/etc"}) {
    const Ran run = check(std::string(R"({"command":[")") + program + "\"]}");
    EXPECT_EQ(run.status, 3) << program << run.out;
    EXPECT_THAT(run.out, HasSubstr("inconclusive")) << program;
  }
}

TEST_F(CommandCheck, AProgramThatIsNoneOfMpiIsInconclusive) {
  for (const std::string& json :
       {std::string(R"({"command":["true"],"retries":0})"), told("before-init", R"(,"retries":0)"),
        std::string(R"({"command":["sleep","1000"],"timeout":0.5,"retries":0})")}) {
    const Ran run = check(json);
    EXPECT_EQ(run.status, 3) << json << run.out;
    EXPECT_THAT(run.out, HasSubstr("nothing was recorded")) << json;
  }
}

// The first run is fine, the others are not: the ranks of a run have its folder in common.
TEST_F(CommandCheck, AFailureThatShowsOnlySometimesIsFoundByRepeating) {
  script("r/sometimes", R"sh(ln -s "$PETRI_RECORD_DIR" "$1/first" 2>/dev/null
test "$(readlink "$1/first")" = "$PETRI_RECORD_DIR" && exec "$2" fixed
exec "$2" swap
)sh");
  const std::string command = R"({"command":["./sometimes","{folder}",")" PETRI_PROGRAMS R"(/ends_as_told"])";
  const Ran once = check(command + "}");
  EXPECT_EQ(once.status, 0) << once.out;
  fs::remove(scratch.folder() / "r/first");
  const Ran often = check(command + R"(,"repeat":5})");
  EXPECT_EQ(often.status, 1) << often.out;
  EXPECT_THAT(often.out, HasSubstr("back in run 2"));
}

TEST_F(CommandCheck, AFailureThatIsKnownToBeThereIsExpected) {
  EXPECT_EQ(check(told("swap", R"(,"expect":"present")")).status, 0);
  const Ran gone = check(told("fixed", R"(,"expect":"present")"));
  EXPECT_EQ(gone.status, 1);
  EXPECT_THAT(gone.out, HasSubstr("now it can guard"));
}

TEST_F(CommandCheck, ArgumentsAndEnvironmentReachTheProgramAsTheyAre) {
  const Ran run =
      check(R"({"command":["ends_as_told","arguments","$(touch x); `y`","a b","","new\nline","*","ü{ranks}"],)"
            R"("ranks":3,"environment":{"PLAN":"slabs & pencils"}})",
            {"--json"});
  EXPECT_EQ(run.status, 1);  // it ends with 3, so that its output is told
  for (const char* part : {R"(<$(touch x); `y`>\n)", R"(<a b>\n)", R"(<>\n)", R"(<new\nline>\n)", R"(<*>\n)", R"(<ü3>)",
                           R"(PLAN=slabs & pencils\n)"})
    EXPECT_THAT(run.out, HasSubstr(part));
}

TEST_F(CommandCheck, FoldersMayBeCalledAnything) {
  const std::string folder = "a b\n'\"$(x)";
  script(folder + "/run me", "exec \"$@\"\n");
  scratch.write(folder + "/scenario.jsonl", kSwap);
  scratch.write(folder + "/reproducer.json",
                R"({"command":["./run me",")" PETRI_PROGRAMS R"(/ends_as_told","fixed","{folder}"]})");
  const Ran run = scratch.petri({"check", "--run-commands", "--commands-only", folder});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST_F(CommandCheck, MoreArgumentsThanTheSystemTakesAreInconclusive) {
  std::string json = R"({"command":["ends_as_told","fixed")";
  for (int i = 0; i < 100'000; ++i) json += R"(,"an argument of some length")";
  const Ran run = check(json + "]}");
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.out, HasSubstr("inconclusive"));
  EXPECT_LT(run.out.size(), 10'000U);
}

TEST_F(CommandCheck, TheCommandsFileIsReadStrictly) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"comand":["x"]})", R"(r/reproducer.json:1:11: expected a known key, got "comand"; did you mean "command"?)"},
      {"{\"command\":[\"x\"],\n  \"repeat\":0}",
       R"(r/reproducer.json:2:12: "repeat" must be a whole number from 1 to)"},
      {R"({"command":"x y"})", R"(r/reproducer.json:1:12: "command" must be an array)"},
      {R"({"command":[]})", "\"command\" is empty: expected the program"},
      {R"({"command":[""]})", "begins with an empty text"},
      {R"({"command":["x"],"timeout":0})", R"("timeout" must be seconds, more than 0 and at most 1000000)"},
      {R"({"command":["x"],"record":["all"]})", R"("record" must be any of "digests" and "buffers")"},
      {R"({"command":["x"],"ring":0})", R"("ring" must be a whole number from 1)"},
      {R"({"command":["x",1]})", R"(r/reproducer.json:1:17: "command" must be text)"},
      {R"({"command":["x\u0000y"]})", "without NUL"},
      {R"({"command":["x",":","y"]})", "mpirun takes for the beginning of another program"},
      {R"({"command":["x"],"environment":{"LD_PRELOAD":"y"}})", "set by petri itself"},
      {R"({"command":["x"],"allow":["completes"]})", "must be verdicts of failures"},
      {R"({"command":["x"],"timeout":-1})", R"("timeout" must be seconds)"},
      {R"({"command":["x"],"command":["y"]})", "each key once"},
      {R"({"ranks":2})", "expected a \"command\""},
      {R"({"command":["x"]} trailing)", "r/reproducer.json:1:21: broken JSON"},
      {"\n[]", "r/reproducer.json:2:1: expected a JSON object"},
  };
  for (const auto& [json, message] : cases) {
    const Ran run = check(json);
    EXPECT_EQ(run.status, 2) << json;
    EXPECT_THAT(run.out, HasSubstr(message)) << json;
  }
  EXPECT_EQ(check("{\n  \"command\": [\"ends_as_told\"],\n  \"x_note\": {\"free\": [1]}\n}\n").status, 0);
}

// A signature that the scenario does not show could never come back.
TEST_F(CommandCheck, AGuardThatCouldNeverFailIsNone) {
  std::string text = kSwap;
  text.replace(text.find(R"("verdict":"deadlock")"), 20, R"("signature":"deadlock: of old")");
  scratch.write("r/scenario.jsonl", text);
  scratch.write("r/reproducer.json", told("fixed"));
  const Ran run = scratch.petri({"check", "--run-commands", "--commands-only", "--program-path", PETRI_PROGRAMS, "r"});
  EXPECT_EQ(run.status, 2) << run.out;
  EXPECT_THAT(run.out, HasSubstr("the scenario itself shows"));
}

TEST_F(CommandCheck, ABareAbsentSpeaksOfTheCommand) {
  std::string text = kSwap;
  text.replace(text.find(R"({"verdict":"deadlock"})"), 22, R"("absent")");
  scratch.write("r/scenario.jsonl", text);
  scratch.write("r/reproducer.json", told("swap"));
  const Ran run = scratch.petri({"check", "--model-only", "--run-commands", "--program-path", PETRI_PROGRAMS, "r"});
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_THAT(run.out, AllOf(HasSubstr("model: skipped"), HasSubstr("command: the failure is back")));
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

// A run's folder holds its record, the launcher's files, its shared memory and the program's working folder.
TEST_F(CommandCheck, NothingIsLeftBehind) {
  adopt_orphans();
  script("r/told", R"sh(echo "$PETRI_RECORD_DIR" >"$1/run"
exec "$2" "$3"
)sh");
  for (const char* way : {"stay", "write", "swap", "abort"}) {
    const std::string command = R"({"command":["./told","{folder}/..",")" PETRI_PROGRAMS R"(/ends_as_told",")";
    check(command + way + R"("],"timeout":2,"retries":0})");
    const fs::path run = fs::path(scratch.read("run")).parent_path();
    EXPECT_THAT(run.filename().string(), HasSubstr("petri-")) << way;
    EXPECT_FALSE(fs::exists(run)) << way;
    EXPECT_THAT(descendants_of(getpid()), ::testing::IsEmpty()) << way;
  }
  EXPECT_EQ(names_in(scratch.folder()), (std::set<std::string>{"r", "run"}));
  EXPECT_EQ(names_in(scratch.folder() / "r"), (std::set<std::string>{"reproducer.json", "scenario.jsonl", "told"}));
}

}  // namespace
}  // namespace petri::cli::testing
