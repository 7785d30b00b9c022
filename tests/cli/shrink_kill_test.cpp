// A shrink that is killed at any moment goes on to the same bytes, and leaves nothing of itself behind.
//
// PETRI_SHRINK_KILLS is the number of moments for each oracle (default 3; live: a quarter of it, at least one).
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using ::testing::IsEmpty;

constexpr double kCleanLimit_s = 20;  // for a guardian to end what a killed petri left

int kills() {
  const char* set = std::getenv("PETRI_SHRINK_KILLS");
  return set != nullptr ? std::max(1, std::atoi(set)) : 3;
}

// `world` ranks in a loop of `steps`; rank 5 calls a barrier more in step 2. Where it sits the failure is small, but
// what surrounds it differs from rank to rank, so that there is work to do.
std::string job_text(int world, int steps) {
  std::ostringstream out;
  out << R"({"petri":1,"job":"loop","world":)" << world << R"(,"backend":"mpi"})" << '\n';
  int events = 0;
  for (int rank = 0; rank < world; ++rank) {
    const auto call = [&](int step, const std::string& what) {
      out << R"({"rank":)" << rank << "," << what << R"(,"step":)" << step << "}\n";
      ++events;
    };
    const auto peer = [&](const char* op, int other, int tag) {
      return R"("op":")" + std::string(op) + R"(","peer":)" + std::to_string(other) + R"(,"tag":)" +
             std::to_string(tag);
    };
    for (int step = 0; step < steps; ++step) {
      call(step, R"("op":"allreduce","count":1000,"dtype":"float32","reduce":"sum")");
      if (rank % 2 == 0 && rank + 1 < world) call(step, peer("send", rank + 1, rank % 7));
      if (rank % 2 == 1) call(step, peer("recv", rank - 1, (rank - 1) % 7));
      if (rank == 5 && step == 2) call(step, R"("op":"barrier")");
    }
  }
  out << R"({"end":true,"events":)" << events << "}\n";
  return out.str();
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

double since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

// The report without what depends on the machine and on how much a former run had done.
std::string steady_part(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text);
  for (const char* key : {"seconds", "judged", "wasted"}) json.erase(key);
  json["live"].erase("seconds");
  json["live"]["text"] = without_seconds(json["live"]["text"].get<std::string>());
  return json.dump(1);
}

// All that a run leaves in its folder, and its report.
struct Outcome {
  std::map<std::string, std::string> files;
  std::string report;
  bool operator==(const Outcome&) const = default;
};

class ShrinkKill : public ::testing::Test {
 protected:
  ShrinkKill() { scratch_.write("hang.jsonl", job_text(12, 8)); }

  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> args{PETRI_PROGRAM, "shrink", "--json", "-o", "small.jsonl", "--also-found", "also"};
    args.insert(args.end(), more.begin(), more.end());
    args.emplace_back("hang.jsonl");
    return args;
  }

  // Starts petri in a session of its own, with a mark that all its descendants carry.
  pid_t start(const std::vector<std::string>& args, const fs::path& report) {
    mark_ = "PETRI_KILL_TEST=" + std::to_string(getpid()) + "." + std::to_string(++started_);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    setsid();
    if (chdir(scratch_.folder().c_str()) != 0) _exit(127);
    if (std::freopen(report.c_str(), "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(127);
    putenv(mark_.data());
    std::vector<char*> argv;
    for (const std::string& word : args) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }

  // Runs to the end and takes what it left away.
  Outcome finish(const std::vector<std::string>& more) {
    const fs::path report = scratch_.folder() / "report";
    const pid_t pid = start(command(more), report);
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    Outcome outcome;
    outcome.report = steady_part(text_of(report));
    fs::remove(report);
    for (const auto& entry : fs::recursive_directory_iterator(scratch_.folder())) {
      if (!entry.is_regular_file() || entry.path().filename() == "hang.jsonl") continue;
      outcome.files[fs::relative(entry.path(), scratch_.folder()).string()] = text_of(entry.path());
    }
    for (const char* name : {"small.jsonl", "also"}) fs::remove_all(scratch_.folder() / name);
    return outcome;
  }

  // True when the run was still there to be killed.
  bool kill_after(const std::vector<std::string>& more, double seconds, bool whole_group) {
    const fs::path report = scratch_.folder() / "report";
    const pid_t pid = start(command(more), report);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    kill(whole_group ? -pid : pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    fs::remove(report);
    EXPECT_THAT(left_of(pid), IsEmpty());
    return WIFSIGNALED(status);
  }

  // Processes and run folders of a killed petri, after those who clean up have had time.
  std::vector<std::string> left_of(pid_t petri) const {
    const Clock::time_point begun = Clock::now();
    std::vector<std::string> left;
    do {
      left = marked_processes();
      const std::string begin = "petri-" + std::to_string(petri) + "-";
      for (const char* place : {"/dev/shm", "/tmp"}) {
        std::error_code ignored;
        for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored))
          if (entry.path().filename().string().starts_with(begin)) left.push_back(entry.path());
      }
      if (!left.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (!left.empty() && since(begun) < kCleanLimit_s);
    return left;
  }

  std::vector<std::string> marked_processes() const {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string environment = '\0' + text_of(entry.path() / "environ");
      if (environment.find('\0' + mark_ + '\0') != std::string::npos) found.push_back("process " + name);
    }
    return found;
  }

  // Kills at moments spread over the whole run, its end included, and resumes after each.
  void show(const std::vector<std::string>& more, int count) {
    const Clock::time_point begun = Clock::now();
    const Outcome undisturbed = finish(more);
    const double whole = since(begun);
    ASSERT_TRUE(undisturbed.files.contains("small.jsonl"));
    std::mt19937 generator(static_cast<unsigned>(count));
    std::uniform_real_distribution<double> within(0, 1);
    for (int i = 0; i < count; ++i) {
      // On a busy machine a run may be over before its moment comes: then an earlier one.
      double moment = whole * (i + within(generator)) / count;
      while (!kill_after(more, moment, i % 2 == 0)) moment *= 0.7;
      const Outcome resumed = finish(more);
      EXPECT_EQ(resumed.report, undisturbed.report) << "killed after " << moment << " of " << whole << " s";
      ASSERT_EQ(resumed.files, undisturbed.files) << "killed after " << moment << " of " << whole << " s";
    }
    RecordProperty("undisturbed_s", std::to_string(whole));
  }

  Scratch scratch_;
  std::string mark_;
  int started_ = 0;
};

TEST_F(ShrinkKill, TheModelJudges) {
  scratch_.write("hang.jsonl", job_text(64, 40));
  show({"--no-live"}, kills());
  show({"--no-live", "-j", "2"}, kills());
}

TEST_F(ShrinkKill, ABudgetOfTestsEndsAtTheSamePlace) {
  const std::vector<std::string> limited{"--no-live", "--max-tests", "9", "--journal", "verdicts", "--resume"};
  const Outcome undisturbed = finish(limited);
  const std::string verdicts = undisturbed.files.at("verdicts");
  // Resumed from any part of its journal, it decides as many.
  for (std::size_t lines = 1, at = verdicts.find('\n') + 1; at <= verdicts.size(); ++lines) {
    scratch_.write("verdicts", verdicts.substr(0, at));
    const Outcome resumed = finish(limited);
    EXPECT_EQ(resumed, undisturbed) << "after " << lines << " lines";
    const std::size_t end = verdicts.find('\n', at);
    if (end == std::string::npos) break;
    at = end + 1;
  }
}

TEST_F(ShrinkKill, AUsersProgramJudges) {
  const std::vector<std::string> more{
      "--no-live", "--oracle",
      "sh -c 'sleep 0.02; grep -q .op.:.barrier. scenario.jsonl && grep -q allreduce scenario.jsonl'"};
  show(more, kills());
  std::vector<std::string> two = more;
  two.insert(two.end(), {"-j", "2"});
  show(two, kills());
}

// Progress is kept however often it is killed: each life is a fraction of the whole.
TEST_F(ShrinkKill, ManyShortLivesComeToTheSameEnd) {
  const std::vector<std::string> more{"--no-live", "--oracle",
                                      "sh -c 'sleep 0.02; grep -q .op.:.barrier. scenario.jsonl'"};
  const Clock::time_point begun = Clock::now();
  const Outcome undisturbed = finish(more);
  const double life = since(begun) / 4;
  int lives = 1;
  while (kill_after(more, life, lives % 2 == 0) && lives < 40) ++lives;
  EXPECT_LT(lives, 40);
  EXPECT_GT(lives, 1);
  EXPECT_EQ(finish(more), undisturbed);
}

TEST_F(ShrinkKill, TheSameBytesWithAnyNumberOfThreadsAndInTwoRuns) {
  const std::vector<std::string> predicate{"--no-live", "--oracle", "grep -q .op.:.barrier. scenario.jsonl"};
  for (const std::vector<std::string>& oracle : {std::vector<std::string>{"--no-live"}, predicate}) {
    const Outcome alone = finish(oracle);
    for (const char* jobs : {"1", "2", "8"}) {
      std::vector<std::string> more = oracle;
      more.insert(more.end(), {"-j", jobs});
      EXPECT_EQ(finish(more), alone) << jobs << " threads";
    }
  }
}

TEST_F(ShrinkKill, LiveReplaysJudgeOrConfirm) {
  scratch_.write("hang.jsonl", job_text(6, 3));
  const int count = std::max(1, kills() / 4);
  show({}, count);
  show({"--oracle", "live"}, count);
}

}  // namespace
}  // namespace petri::cli::testing
