// The recorder against the process that carries it: killed ones, and ones that have nothing to do with MPI.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "harness/import/recording.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/record_view.hpp"
#include "tests/record/recorded.hpp"

namespace petri::test {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) n += entry.path().filename() != "output";
  return n;
}

TEST(RecordProcesses, AProgramThatNeverInitializesLeavesNothing) {
  const RecordFolder folder;
  ASSERT_EQ(std::system(command_for(folder, 2, "never_inits").c_str()), 0);
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(RecordProcesses, AShellIsNotDisturbed) {
  const RecordFolder folder;
  // No word from the loader, with symbols bound late or at once.
  for (const char* binding : {"", "LD_BIND_NOW=1 "}) {
    const std::string command = std::string(binding) + "PETRI_STRICT=1 PETRI_RECORD_DIR='" + folder.path().string() +
                                "' LD_PRELOAD='" PETRI_RECORD_LIBRARY "' sh -c 'exit 5' 2> '" +
                                (folder.path() / "output").string() + "'";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 5);
    EXPECT_EQ(std::filesystem::file_size(folder.path() / "output"), 0u);
  }
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(RecordProcesses, TwoJobsAreNoOneRecording) {
  for (const int ranks : {2, 3}) {
    const RecordFolder folder;
    ASSERT_EQ(std::system(command_for(folder, 2, "two_threads").c_str()), 0);
    ASSERT_EQ(std::system(command_for(folder, ranks, "two_threads").c_str()), 0);
    try {
      import_recording(folder.path());
      ADD_FAILURE() << "a recording of two jobs was taken for one";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("record each mpirun by itself"), std::string::npos) << error.what();
    }
  }
}

// The record of a rank, as soon as it shows that many events.
std::filesystem::path wait_for_record(const RecordFolder& folder, int rank, std::uint64_t events) {
  for (int tries = 0; tries < 2000; ++tries) {
    for (const auto& file : record::record_files(folder.path())) {
      const auto view = record::RecordView::open(file);
      if (view && view->world_rank() == rank && view->events_completed() >= events) return file;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

// Events that the program itself counted: after each call it writes the number to its own file.
std::uint64_t counted_by_program(const RecordFolder& folder, int rank) {
  std::uint64_t count = 0;
  std::ifstream file(folder.path() / ("counter." + std::to_string(rank)), std::ios::binary);
  file.read(reinterpret_cast<char*>(&count), sizeof count);
  return count;
}

TEST(RecordProcesses, AKilledRankLosesNothingButTheEventInFlight) {
  const RecordFolder folder;
  const std::string command = command_for(folder, 2, "endless", "PETRI_TEST_COUNTERS='" + folder.path().string() + "'");
  const pid_t job = fork();
  ASSERT_GE(job, 0);
  if (job == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::random_device random;
  const auto file = wait_for_record(folder, 1, 100 + random() % 5000);
  pid_t victim = 0;
  if (!file.empty()) victim = static_cast<pid_t>(record::RecordView::open(file)->header().pid);
  if (victim > 0) kill(victim, SIGKILL);
  int status = 0;
  waitpid(job, &status, 0);  // its own time limit ends it in any case
  ASSERT_GT(victim, 0);

  record::note_death(file, SIGKILL);
  const Scenario scenario = import_recording(folder.path());
  const RankTrace& rank = scenario.ranks.at(1);
  EXPECT_EQ(rank.end.kind, EndKind::signal);
  EXPECT_EQ(rank.end.signal, SIGKILL);
  std::uint64_t completed = 0;
  for (std::size_t i = 0; i < rank.events.size(); ++i) {
    EXPECT_EQ(rank.events[i].seq, rank.end.dropped + i);
    if (i + 1 < rank.events.size()) {
      EXPECT_EQ(rank.events[i].state, EventState::completed);
    }
    completed += rank.events[i].state == EventState::completed;
  }
  const std::uint64_t counted = counted_by_program(folder, 1);
  const std::uint64_t recorded = rank.end.dropped + completed - 1;  // init is not counted
  EXPECT_GT(counted, 0u);
  EXPECT_GE(recorded, counted);
  EXPECT_LE(recorded, counted + 1);
}

}  // namespace
}  // namespace petri::test
