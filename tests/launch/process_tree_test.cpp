#include "harness/launch/process_tree.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace petri {
namespace {

using testing::Contains;
using testing::Not;

TEST(ProcessTree, ListsChildrenAndForgetsTheDead) {
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  EXPECT_THAT(descendants_of(getpid()), Contains(child));
  kill(child, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);  // dead, but not yet reaped
  EXPECT_THAT(descendants_of(getpid()), Not(Contains(child)));
  waitpid(child, nullptr, 0);
}

TEST(ProcessTree, EndsOnlyWhatIsChosen) {
  const auto pausing = [] {
    const pid_t child = fork();
    if (child == 0) {
      while (true) pause();
    }
    return child;
  };
  const pid_t doomed = pausing();
  const pid_t spared = pausing();
  EXPECT_TRUE(end_descendants([doomed](pid_t process) { return process == doomed; }, 5));
  EXPECT_THAT(descendants_of(getpid()), Contains(spared));
  kill(spared, SIGKILL);
  waitpid(spared, nullptr, 0);
}

TEST(ProcessTree, KnowsAMarkOnlyAsAWhole) {
  setenv("PETRI_TEST_MARK", "one two", 1);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sleep", "sleep", "100", nullptr);
    _exit(127);
  }
  unsetenv("PETRI_TEST_MARK");
  bool seen = false;
  for (int i = 0; i < 1000 && !seen; ++i, usleep(2000)) seen = started_with(child, "PETRI_TEST_MARK", "one two");
  EXPECT_TRUE(seen);
  EXPECT_FALSE(started_with(child, "PETRI_TEST_MARK", "one"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace petri
