// petri record and petri replay as a user runs them, on real MPI programs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "harness/launch/process_tree.hpp"
#include "harness/trace/read.hpp"
#include "tests/cli/petri_process.hpp"
#include "tests/support/mpi_environment.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kPrograms = PETRI_PROGRAMS;
const std::string kScenarios = PETRI_SCENARIOS;

class Live : public ::testing::Test {
 protected:
  // The programs are a user's own: petri adds nothing to their command, so root and few cores need the usual variables.
  static void SetUpTestSuite() { test::allow_root_and_oversubscription(); }

  Ran record(int ranks, const std::string& program, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args{"record", "-o", "recorded.jsonl"};
    args.insert(args.end(), {"--", "mpirun", "-n", std::to_string(ranks), kPrograms + "/" + program});
    args.insert(args.end(), more.begin(), more.end());
    return scratch.petri(args);
  }

  Ran replay(const std::string& file, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), "replay");
    options.push_back(file);
    return scratch.petri(options);
  }

  static std::string scenario(const std::string& name) { return kScenarios + "/" + name + "/scenario.jsonl"; }

  Scratch scratch;
};

TEST_F(Live, RecordsAHangAndReplaysIt) {
  const Ran recorded = record(4, "program_uneven_batches");
  EXPECT_EQ(recorded.status, 10) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("as no rank can go on"));
  EXPECT_THAT(recorded.err, HasSubstr("begun by rank 3"));
  const Scenario scenario = read_scenario(scratch.folder() / "recorded.jsonl");
  EXPECT_EQ(scenario.header.observed->verdict, Verdict::deadlock);
  EXPECT_THAT(scenario.header.origin->source, HasSubstr("program_uneven_batches"));

  const Ran replayed = replay("recorded.jsonl", {"-o", "replayed.jsonl"});
  EXPECT_EQ(replayed.status, 10) << replayed.out;
  EXPECT_THAT(replayed.out, HasSubstr("reproduced: deadlock, the same failure as the scenario's"));
  // Event for event the same program, with the user's own call sites.
  const Scenario again = read_scenario(scratch.folder() / "replayed.jsonl");
  ASSERT_EQ(again.world(), scenario.world());
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    ASSERT_EQ(again.ranks[rank].events.size(), scenario.ranks[rank].events.size()) << rank;
    const Event& last = again.ranks[rank].events.back();
    EXPECT_EQ(last.op, scenario.ranks[rank].events.back().op);
    EXPECT_EQ(last.seq, scenario.ranks[rank].events.back().seq);
    EXPECT_EQ(again.site_of(last), scenario.site_of(scenario.ranks[rank].events.back()));
  }
}

TEST_F(Live, AJobThatIsStoppedLeavesNoTemporaryFiles) {
  const fs::path temporary = scratch.folder() / "tmp";
  fs::create_directory(temporary);
  const char* set = std::getenv("TMPDIR");
  const std::string before = set != nullptr ? set : "/tmp";
  setenv("TMPDIR", temporary.c_str(), 1);
  const Ran recorded = record(4, "program_uneven_batches");
  setenv("TMPDIR", before.c_str(), 1);
  EXPECT_EQ(recorded.status, 10) << recorded.err;
  EXPECT_TRUE(fs::is_empty(temporary)) << fs::directory_iterator(temporary)->path();
}

TEST_F(Live, ALegalProgramLeavesItsScenarioAndStatusZero) {
  const Ran recorded = record(4, "program_uneven_batches", {"--fixed"});
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("completes"));
  EXPECT_EQ(replay("recorded.jsonl").status, 0);
}

TEST_F(Live, AMismatchThatReturnsInSilenceHasItsStatus) {
  const Ran recorded = record(3, "program_own_root");
  EXPECT_EQ(recorded.status, 11) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("The root differs"));
}

TEST_F(Live, APollingLoopIsAWait) {
  const Ran recorded = record(3, "program_polling_loop");
  EXPECT_EQ(recorded.status, 10) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("polling loops taken for waits"));
  EXPECT_EQ(replay("recorded.jsonl").status, 10);
}

TEST_F(Live, AJobInWhichEveryRankPollsIsNotTakenForOneThatComputes) {
  const Ran recorded = record(2, "program_all_poll");
  EXPECT_EQ(recorded.status, 10) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("polling loops taken for waits"));
}

TEST_F(Live, TheRankThatDiedFirstIsTheCulprit) {
  const Ran recorded = record(4, "program_killed");
  EXPECT_EQ(recorded.status, 14) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("begun by rank 2"));
  const Scenario scenario = read_scenario(scratch.folder() / "recorded.jsonl");
  EXPECT_EQ(scenario.ranks[2].end.kind, EndKind::signal);
  EXPECT_EQ(scenario.ranks[2].end.signal, SIGKILL);
  for (const int other : {0, 1, 3}) EXPECT_EQ(scenario.ranks[other].end.kind, EndKind::running) << other;
  EXPECT_EQ(replay("recorded.jsonl").status, 14);
}

TEST_F(Live, BufferingHidesASendCycleThatStrictShows) {
  const Ran plain = replay(scenario("c09-send-send-hidden"));
  EXPECT_EQ(plain.status, 5) << plain.out;
  EXPECT_THAT(plain.out, HasSubstr("--strict makes that show"));
  EXPECT_EQ(replay(scenario("c09-send-send-hidden"), {"--strict"}).status, 10);
}

TEST_F(Live, StrictHoldsBothHalvesOfASendrecvAndWhatComesAfter) {
  // Rank 0's message has no receiver; were it buffered, rank 0 would be in finalize, and that is another failure.
  for (const char* op : {"sendrecv", "sendrecv_replace"}) {
    const std::string call = fmt::format(R"("op":"{}","count":1,"dtype":"int32")", op);
    scratch.write("unmatched.jsonl", R"({"petri":1,"world":2}
{"rank":0,)" + call + R"(,"sendpeer":1,"recvpeer":"null","sendtag":5,"recvtag":0}
{"rank":1,)" + call + R"(,"sendpeer":"null","recvpeer":0,"sendtag":0,"recvtag":6}
{"end":true,"events":2}
)");
    const Ran ran = replay("unmatched.jsonl", {"--strict"});
    EXPECT_EQ(ran.status, 10) << ran.out << ran.err;
  }
}

TEST_F(Live, ALauncherThatStaysWhenItsRanksAreGoneIsEnded) {
  const std::string path = getenv("PATH");
  const fs::path launcher = scratch.write("mpirun", "#!/bin/sh\nPATH='" + path + "'\nmpirun \"$@\"\nsleep 600\n");
  fs::permissions(launcher, fs::perms::owner_all);
  setenv("PATH", (scratch.folder().string() + ":" + path).c_str(), 1);
  const Ran ran = replay(scenario("c03-silent-swap-sites"));
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(ran.status, 11) << ran.out << ran.err;
  EXPECT_THAT(ran.out + ran.err, HasSubstr("mpirun stayed"));
}

TEST_F(Live, CountsTheOutcomesOfRepeatedRuns) {
  const Ran ran = replay(scenario("c01-guard-shift"), {"--repeat", "2"});
  EXPECT_EQ(ran.status, 10);
  EXPECT_THAT(ran.out, HasSubstr("2 of 2 runs reproduced it"));
}

TEST_F(Live, ADelayMovesAnEvent) {
  const std::string file = scratch
                               .write("two.jsonl", R"({"petri":1,"job":"two","world":3}
{"rank":0,"op":"recv","peer":"any","count":1,"dtype":"int32"}
{"rank":0,"op":"recv","peer":"any","count":1,"dtype":"int32"}
{"rank":1,"op":"send","peer":0,"count":1,"dtype":"int32"}
{"rank":2,"op":"send","peer":0,"count":1,"dtype":"int32"}
{"end":true,"events":4}
)")
                               .string();
  for (const int late : {1, 2}) {
    const Ran ran = replay(file, {"--delay", std::to_string(late) + ":0:600", "-o", "out.jsonl"});
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_EQ(read_scenario(scratch.folder() / "out.jsonl").ranks[0].events[0].extras.matched(), 3 - late);
  }
}

TEST_F(Live, ADelayNamesAnEventThatIsThere) {
  const Ran no_rank = replay(scenario("c01-guard-shift"), {"--delay", "7:0:1"});
  EXPECT_EQ(no_rank.status, 2);
  EXPECT_THAT(no_rank.err, HasSubstr("--delay names rank 7, and the scenario has the ranks 0 to 1"));
  const Ran no_event = replay(scenario("c01-guard-shift"), {"--delay", "1:99:1"});
  EXPECT_EQ(no_event.status, 2);
  EXPECT_THAT(no_event.err, HasSubstr("--delay names event 99 of rank 1"));
}

TEST_F(Live, StartsNoMoreProcessesThanAllowed) {
  const Ran ran = replay(scenario("c01-guard-shift"), {"--max-processes", "1"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("this replay needs 2 processes, and no more than 1 may start"));
}

TEST_F(Live, RefusesWhatItCannotReplay) {
  scratch.write("spawn.jsonl", R"({"petri":1,"job":"spawn","world":1}
{"rank":0,"op":"comm_spawn","root":0,"new":"children"}
{"end":true,"events":1}
)");
  const Ran spawn = replay("spawn.jsonl");
  EXPECT_EQ(spawn.status, 2);
  EXPECT_THAT(spawn.err, HasSubstr("rank 0, seq 0, comm_spawn: all processes of a replay start together"));
  scratch.write("nccl.jsonl", R"({"petri":1,"job":"nccl","world":1,"backend":"nccl"}
{"rank":0,"op":"allreduce","stream":"0"}
{"end":true,"events":1}
)");
  const Ran nccl = replay("nccl.jsonl");
  EXPECT_EQ(nccl.status, 3);
  EXPECT_THAT(nccl.err, HasSubstr("NCCL"));
}

TEST_F(Live, SaysWhyNothingWasRecorded) {
  const Ran missing = scratch.petri({"record", "--", "no-such-launcher"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("cannot start no-such-launcher"));
  const Ran no_mpi = scratch.petri({"record", "--", "echo", "hello"});
  EXPECT_EQ(no_mpi.status, 3);
  EXPECT_EQ(no_mpi.out, "hello\n");
  EXPECT_THAT(no_mpi.err, HasSubstr("is it an MPI program"));
  const Ran failed = scratch.petri({"record", "--", "sh", "-c", "exit 9"});
  EXPECT_EQ(failed.status, 3);
  EXPECT_THAT(failed.err, HasSubstr("ended with status 9"));
  EXPECT_EQ(scratch.petri({"record"}).status, 2);
}

TEST_F(Live, TheScenarioAndItsRecordsAreNotOnePlace) {
  const Ran one = scratch.petri({"record", "-o", "x", "--dir", "./x", "--", "echo", "hello"});
  EXPECT_EQ(one.status, 2);
  EXPECT_EQ(one.out, "");
  EXPECT_THAT(one.err, HasSubstr("-o and --dir are one place"));
  EXPECT_EQ(scratch.petri({"record", "-o", "x.gz", "--", "echo", "hello"}).status, 2);
}

TEST_F(Live, AScriptWithoutItsInterpreterIsToldSo) {
  const fs::path script = scratch.write("run.sh", "#!/no/such/bash\n");
  fs::permissions(script, fs::perms::owner_all);
  const Ran run = scratch.petri({"record", "--", "./run.sh"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("./run.sh cannot be started: its interpreter /no/such/bash is not there"));
}

TEST_F(Live, ATimeOutSaysThatItProvesNothing) {
  const Ran ran = scratch.petri({"record", "--timeout", "1", "-o", "out.jsonl", "--", "mpirun", "-n", "2", PETRI_WORKER,
                                 scenario("c14-slow-rank")});
  EXPECT_THAT(ran.err, HasSubstr("time-out, which is no proof of a deadlock"));
  EXPECT_EQ(ran.status, 15) << ran.err;
}

TEST_F(Live, ARankThatIsLateShrinksToWhatReplays) {
  const Ran shrunk = scratch.petri({"shrink", "-o", "small.jsonl", scenario("c14-slow-rank")});
  EXPECT_EQ(shrunk.status, 0) << shrunk.err;
  EXPECT_THAT(shrunk.out, HasSubstr("live:        confirmed: skew"));
  const Ran replayed = replay("small.jsonl");
  EXPECT_EQ(replayed.status, 15) << replayed.out;
}

// A petri record of a job that never ends: a signal to it, and what is left.
struct Interrupted {
  int status = 0;
  bool left_nothing = false;
};

bool becomes_true(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 2000; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

Interrupted interrupt(const fs::path& folder, int signal) {
  const std::string mark = std::to_string(getpid()) + "-" + std::to_string(signal);
  const pid_t petri = fork();
  if (petri == 0) {
    setenv("PETRI_TEST_MARK", mark.c_str(), 1);
    std::signal(SIGINT, SIG_DFL);
    if (chdir(folder.c_str()) != 0) _exit(127);
    const std::string file = kScenarios + "/c14-slow-rank/scenario.jsonl";
    execl(PETRI_PROGRAM, "petri", "record", "-o", "out.jsonl", "--", "mpirun", "-n", "2", PETRI_WORKER, file.c_str(),
          nullptr);
    _exit(127);
  }
  const auto marked = [&] {
    std::vector<pid_t> found;
    for (const pid_t process : descendants_of(1))
      if (started_with(process, "PETRI_TEST_MARK", mark)) found.push_back(process);
    return found;
  };
  fs::path run;  // of the job, from the environment of its processes
  const auto recording = [&] {
    for (const pid_t process : marked()) {
      std::ifstream environment("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
      for (std::string entry; std::getline(environment, entry, '\0');)
        if (entry.starts_with("PETRI_RUN=")) run = entry.substr(10);
    }
    return !run.empty() && fs::exists(run / "recording" / "rest-0");
  };
  EXPECT_TRUE(becomes_true(recording));
  kill(petri, signal);
  int status = 0;
  waitpid(petri, &status, 0);
  const bool nothing = becomes_true([&] { return marked().empty() && !fs::exists(run); });
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), nothing};
}

TEST_F(Live, OrdersThatAScenarioNamesAreNotShownByAReplay) {
  std::string text = "{\"petri\":1,\"world\":3}\n";
  for (const auto& [rank, value] : {std::pair{0, "1e16"}, {1, "1"}, {2, "-1e16"}})
    text += R"({"rank":)" + std::to_string(rank) +
            R"(,"op":"allreduce","count":1,"dtype":"float64","reduce":"sum","orders":["own-first"],"values":[)" +
            value + "]}\n";
  scratch.write("orders.jsonl", text + "{\"end\":true,\"events\":3}\n");
  EXPECT_EQ(scratch.petri({"diagnose", "orders.jsonl"}).status, 12);
  const Ran replay = scratch.petri({"replay", "orders.jsonl"});
  EXPECT_EQ(replay.status, 5);
  EXPECT_THAT(replay.out, HasSubstr("not reproduced: a replay reduces numbers of its own"));
  const Ran shrink = scratch.petri({"shrink", "-o", "small.jsonl", "orders.jsonl"});
  EXPECT_EQ(shrink.status, 0);
  EXPECT_THAT(shrink.out, HasSubstr("not replayed: a replay reduces numbers of its own"));
  const Ran exported = scratch.petri({"export", "--to", "c", "-o", "small.c", "small.jsonl"});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(scratch.read("small.c"), HasSubstr("not shown by this program"));
}

TEST_F(Live, CtrlCWritesTheScenarioAndCleansUp) {
  const Interrupted ran = interrupt(scratch.folder(), SIGINT);
  EXPECT_EQ(ran.status, 128 + SIGINT);
  EXPECT_TRUE(ran.left_nothing);
  EXPECT_EQ(read_scenario(scratch.folder() / "out.jsonl").world(), 2);
}

TEST_F(Live, NothingIsLeftWhenPetriIsKilled) {
  const Interrupted ran = interrupt(scratch.folder(), SIGKILL);
  EXPECT_EQ(ran.status, 128 + SIGKILL);
  EXPECT_TRUE(ran.left_nothing);
}

}  // namespace
}  // namespace petri::cli::testing
