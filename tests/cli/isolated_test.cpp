#include "harness/cli/isolated.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "harness/launch/guardian.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/process_tree.hpp"
#include "harness/launch/run_folder.hpp"

namespace petri::cli {
namespace {

using Tasks = std::vector<std::function<std::string()>>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const auto kTellNobody = [](std::size_t, const TaskEnd&) {};

std::function<double(std::size_t)> each(double limit_s) {
  return [limit_s](std::size_t) { return limit_s; };
}

std::string sleep_for_long() {
  sleep(1000);
  return "slept";
}

TEST(Isolated, ResultsComeInTheOrderOfTheTasks) {
  const Tasks tasks{[] {
                      usleep(200'000);
                      return std::string("slow");
                    },
                    [] { return std::string(100'000, 'x'); }, [] { return std::string(); }};
  std::vector<std::size_t> told;
  const auto ends = run_isolated(tasks, 3, each(30), [&](std::size_t task, const TaskEnd&) { told.push_back(task); });
  EXPECT_EQ(ends[0].text, "slow");
  EXPECT_EQ(ends[1].text.size(), 100'000U);
  EXPECT_EQ(ends[2].kind, TaskEnd::Kind::done);
  EXPECT_THAT(told, ElementsAre(0, 1, 2));
}

TEST(Isolated, ATaskThatHangsIsEndedAndTheOthersGoOn) {
  const Tasks tasks{sleep_for_long, [] { return std::string("fine"); }};
  const auto ends = run_isolated(tasks, 1, each(0.3), kTellNobody);
  EXPECT_EQ(ends[0].kind, TaskEnd::Kind::timed_out);
  EXPECT_EQ(ends[1].text, "fine");
}

TEST(Isolated, ATaskThatCrashesIsToldByItsSignal) {
  const Tasks tasks{[]() -> std::string {
                      std::raise(SIGKILL);
                      return "";
                    },
                    []() -> std::string { _exit(3); }};
  const auto ends = run_isolated(tasks, 2, each(30), kTellNobody);
  EXPECT_EQ(ends[0].kind, TaskEnd::Kind::crashed);
  EXPECT_THAT(ends[0].text, HasSubstr("signal 9"));
  EXPECT_THAT(ends[1].text, HasSubstr("exit status 3"));
}

TEST(Isolated, WhatAHangingTaskStartedUnderGuardEndsWithIt) {
  const std::filesystem::path folder = make_run_folder(0);
  const Tasks tasks{[&] {
    Guardian guardian({{"sleep", "1000"}, {}, false, {}}, folder);
    return sleep_for_long();
  }};
  run_isolated(tasks, 1, each(0.5), kTellNobody);
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_THAT(descendants_of(getpid()), IsEmpty());
}

TEST(Isolated, AnInterruptEndsAll) {
  const InterruptScope interrupts;
  const Tasks tasks{[] {
                      kill(getppid(), SIGINT);
                      return sleep_for_long();
                    },
                    sleep_for_long};
  const auto ends = run_isolated(tasks, 1, each(60), kTellNobody);
  for (const TaskEnd& end : ends) EXPECT_EQ(end.kind, TaskEnd::Kind::interrupted);
}

// As a terminal sends it: to all of the process group.
TEST(Isolated, AnInterruptOfTheGroupIsNoCrashOfATask) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t group = fork();
    if (group == 0) {
      setpgid(0, 0);
      const InterruptScope interrupts;
      const pid_t own = getpid();
      const Tasks tasks{sleep_for_long,
                        [=] {
                          kill(-own, signal);
                          return sleep_for_long();
                        },
                        sleep_for_long};
      const auto ends = run_isolated(tasks, 2, each(60), kTellNobody);
      const auto interrupted = [](const TaskEnd& end) { return end.kind == TaskEnd::Kind::interrupted; };
      _exit(std::all_of(ends.begin(), ends.end(), interrupted) && descendants_of(own).empty() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(group, &status, 0), group);
    EXPECT_EQ(status, 0) << signal;
  }
}

}  // namespace
}  // namespace petri::cli
