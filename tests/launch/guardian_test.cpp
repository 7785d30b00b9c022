#include "harness/launch/guardian.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <thread>

#include "harness/launch/process_tree.hpp"
#include "harness/launch/run_folder.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr double kSoon_s = 15;

bool becomes_true(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(kSoon_s);
  while (std::chrono::steady_clock::now() < limit) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A shell with children of its own, one of which has left its session; it writes a file when all are there.
GuardedCommand family(const fs::path& folder) {
  return {{"/bin/sh", "-c", "sleep 1000 & setsid sleep 1000 & trap '' TERM; echo up > \"$0\"; wait; wait; wait",
           (folder / "up").string()},
          {},
          false,
          {}};
}

// What runs with the mark of this folder's job, wherever it hangs in the process tree.
std::vector<pid_t> marked(const fs::path& folder) {
  std::vector<pid_t> found;
  for (const pid_t process : descendants_of(1)) {
    if (started_with(process, "PETRI_RUN", folder.string())) found.push_back(process);
  }
  return found;
}

TEST(Guardian, TellsTheExitStatusAndRemovesTheFolder) {
  const fs::path folder = make_run_folder(0);
  {
    Guardian guardian({{"/bin/sh", "-c", "exit 7"}, {}, false, {}}, folder);
    std::optional<CommandEnd> end;
    ASSERT_TRUE(becomes_true([&] { return (end = guardian.ended(50)).has_value(); }));
    EXPECT_EQ(end->status, 7);
    EXPECT_EQ(end->signal, 0);
    EXPECT_TRUE(fs::exists(folder));
  }
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Guardian, TellsTheSignalThatEndedTheCommand) {
  Guardian guardian({{"/bin/sh", "-c", "kill -SEGV $$"}, {}, false, {}}, make_run_folder(0));
  std::optional<CommandEnd> end;
  ASSERT_TRUE(becomes_true([&] { return (end = guardian.ended(50)).has_value(); }));
  EXPECT_EQ(end->signal, SIGSEGV);
}

TEST(Guardian, PassesArgumentsAndEnvironmentWithoutAShell) {
  const fs::path folder = make_run_folder(0);
  const fs::path output = folder / "output";
  Guardian guardian({{"printenv", "GREETING"}, {{"GREETING", "a 'b' $(c) \"d\""}}, false, output}, folder);
  ASSERT_TRUE(becomes_true([&] { return guardian.ended(50).has_value(); }));
  EXPECT_EQ(text_of(output), "a 'b' $(c) \"d\"\n");
}

TEST(Guardian, GivesTheCommandsVariablesToTheCommandAlone) {
  const fs::path folder = make_run_folder(0);
  Guardian guardian({{"sleep", "1000"}, {{"LD_BIND_NOW", "1"}}, false, {}}, folder);
  EXPECT_EQ(marked(folder).size(), 1U);
  EXPECT_TRUE(started_with(marked(folder).front(), "LD_BIND_NOW", "1"));
  EXPECT_FALSE(started_with(guardian.pid(), "LD_BIND_NOW", "1"));
}

TEST(Guardian, SaysThatItsProgramIsMissing) {
  const fs::path folder = name_run_folder(0);
  setenv("PETRI_GUARDIAN", "/nowhere/petri-guardian", 1);
  try {
    Guardian guardian({{"true"}, {}, false, {}}, folder);
    ADD_FAILURE();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/petri-guardian: No such file"));
  }
  unsetenv("PETRI_GUARDIAN");
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Guardian, StartsTheCommandInItsWorkingFolder) {
  const fs::path folder = make_run_folder(0);
  GuardedCommand command{{"/bin/sh", "-c", "pwd > here"}, {}, false, {}};
  command.working_folder = folder;
  Guardian guardian(command, folder);
  ASSERT_TRUE(becomes_true([&] { return guardian.ended(50).has_value(); }));
  EXPECT_EQ(text_of(folder / "here"), folder.string() + "\n");
}

TEST(Guardian, RefusesACommandThatIsNotThere) {
  const fs::path folder = make_run_folder(0);
  EXPECT_THROW(Guardian({{"no-such-program-of-petri"}, {}, false, {}}, folder), EnvironmentError);
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Guardian, EndsWhatTheCommandLeavesBehind) {
  const fs::path folder = make_run_folder(0);
  Guardian guardian({{"/bin/sh", "-c", "setsid sleep 1000 & exit 0"}, {}, false, {}}, folder);
  ASSERT_TRUE(becomes_true([&] { return guardian.ended(50).has_value(); }));
  EXPECT_THAT(marked(folder), IsEmpty());
}

TEST(Guardian, StopsACommandThatIgnoresTheRequest) {
  const fs::path folder = make_run_folder(0);
  Guardian guardian(family(folder), folder);
  ASSERT_TRUE(becomes_true([&] { return fs::exists(folder / "up"); }));
  guardian.stop(0.05);
  ASSERT_TRUE(becomes_true([&] { return guardian.ended(50).has_value(); }));
  EXPECT_THAT(marked(folder), IsEmpty());
}

TEST(Guardian, LetsTheCommandCleanUpBeforeItIsKilled) {
  const fs::path folder = make_run_folder(0);
  const fs::path output = folder / "output";
  Guardian guardian(
      {{"/bin/sh", "-c", "trap 'echo cleaned; exit 3' TERM; echo up; while :; do sleep 0.01; done"}, {}, false, output},
      folder);
  ASSERT_TRUE(becomes_true([&] { return text_of(output) == "up\n"; }));
  guardian.stop(kSoon_s);
  std::optional<CommandEnd> end;
  ASSERT_TRUE(becomes_true([&] { return (end = guardian.ended(50)).has_value(); }));
  EXPECT_EQ(end->status, 3);
  EXPECT_EQ(text_of(output), "up\ncleaned\n");
}

// A process like petri, killed in the middle of a job.
TEST(Guardian, LeavesNothingWhenItsOwnerIsKilled) {
  const fs::path folder = make_run_folder(0);
  const pid_t owner = fork();
  if (owner == 0) {
    Guardian guardian(family(folder), folder);
    while (true) pause();
  }
  ASSERT_TRUE(becomes_true([&] { return fs::exists(folder / "up"); }));
  EXPECT_FALSE(marked(folder).empty());
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] { return !fs::exists(folder); }));
  EXPECT_THAT(marked(folder), IsEmpty());
}

TEST(Guardian, IsReplacedByItsOwnerWhenItIsKilled) {
  const fs::path folder = make_run_folder(0);
  {
    Guardian guardian(family(folder), folder);
    ASSERT_TRUE(becomes_true([&] { return fs::exists(folder / "up"); }));
    kill(guardian.pid(), SIGKILL);
    std::optional<CommandEnd> end;
    ASSERT_TRUE(becomes_true([&] { return (end = guardian.ended(50)).has_value(); }));
    EXPECT_EQ(end->signal, SIGKILL);
  }
  EXPECT_THAT(marked(folder), IsEmpty());
  EXPECT_FALSE(fs::exists(folder));
}

// A program of this name that never waits for its child, which ends at once.
GuardedCommand deaf_parent(const fs::path& folder, const char* name) {
  const fs::path program = folder / name;
  std::ofstream(program) << "#!/bin/sh\nmkfifo \"$0.pipe\"\n(exit 3) &\nread nothing < \"$0.pipe\"\n";
  fs::permissions(program, fs::perms::owner_all);
  return {{program.string()}, {}, false, {}};
}

TEST(Guardian, EndsALauncherThatMissesTheEndOfItsRanksAndNoOtherProgram) {
  std::string folder = (fs::temp_directory_path() / "petri-deaf-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  {
    Guardian other(deaf_parent(folder, "careless"), make_run_folder(0));
    Guardian launcher(deaf_parent(folder, "mpirun"), make_run_folder(0));
    std::optional<CommandEnd> end;
    ASSERT_TRUE(becomes_true([&] { return (end = launcher.ended(50)).has_value(); }));
    EXPECT_EQ(end->signal, SIGTERM);
    EXPECT_FALSE(other.ended(50).has_value());
  }
  fs::remove_all(folder);
}

TEST(Guardian, DoesNotKeepAnotherJobAlive) {
  const fs::path first = make_run_folder(0);
  const fs::path second = make_run_folder(0);
  auto one = std::make_unique<Guardian>(family(first), first);
  Guardian other(family(second), second);
  one.reset();  // returns although the second guardian was forked while the first's socket was open
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(fs::exists(second));
  EXPECT_FALSE(marked(second).empty());
}

}  // namespace
}  // namespace petri
