// Several jobs in one folder, several folders of one job, and processes that are gone without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "harness/import/recording.hpp"
#include "harness/trace/record_view.hpp"
#include "tests/import/record_file.hpp"

namespace petri::test {
namespace {

class Jobs : public testing::Test {
 protected:
  Jobs() {
    std::string name = std::filesystem::temp_directory_path() / "petri-jobs-test-XXXXXX";
    top_ = mkdtemp(name.data());
    std::filesystem::create_directories(top_ / "a");
    std::filesystem::create_directories(top_ / "b");
  }
  ~Jobs() override { std::filesystem::remove_all(top_); }

  void write(const std::string& file, RecordFile& made, const char* job, std::int64_t start_ns) const {
    std::strcpy(made.header().job, job);
    made.header().start_ns = start_ns;
    made.write(top_ / (file + record::kFileSuffix));
  }
  void write(const std::string& file, int rank, Op op, const char* job, std::int64_t start_ns) const {
    RecordFile made(rank, 2);
    made.event(op);
    write(file, made, job, start_ns);
  }

  std::filesystem::path top_;
};

TEST_F(Jobs, AreToldApartAndTakenByName) {
  write("a/1", 0, Op::barrier, "late", 2000);
  write("a/2", 1, Op::barrier, "late", 2001);
  write("a/3", 0, Op::bcast, "early", 1000);
  write("a/4", 1, Op::bcast, "early", 999);
  const std::vector<RecordedJob> jobs = recorded_jobs({top_ / "a"});
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].id, "early");
  EXPECT_EQ(jobs[0].start_ns, 999);
  EXPECT_EQ(jobs[1].id, "late");
  EXPECT_EQ(jobs[1].processes, 2u);
  RecordingOptions options;
  options.job = "early";
  EXPECT_EQ(import_recording(top_ / "a", options).ranks[1].events.front().op, Op::bcast);
  options.job = "late";
  EXPECT_EQ(import_recording(top_ / "a", options).ranks[1].events.front().op, Op::barrier);
}

TEST_F(Jobs, FoldersOfSeveralHostsAreOneRecording) {
  write("a/1", 0, Op::barrier, "job", 1);
  write("b/1", 1, Op::bcast, "job", 2);
  const Scenario scenario = import_recording({top_ / "a", top_ / "b"});
  EXPECT_EQ(scenario.ranks[0].events.front().op, Op::barrier);
  EXPECT_EQ(scenario.ranks[1].events.front().op, Op::bcast);
}

// What the recorder writes of its process, for one of this system.
std::string this_system() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid").string();
}

std::uint64_t start_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  for (int i = 1; i <= 22; ++i) stat >> word;
  return std::stoull(word);
}

TEST_F(Jobs, AProcessThatIsGoneWithoutAWordWasKilled) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  struct {
    pid_t pid;
    std::string system;
    std::uint64_t start;
    EndKind end;
  } const cases[] = {
      {getpid(), this_system(), start_of(getpid()), EndKind::running},
      {gone, this_system(), 1, EndKind::signal},
      {getpid(), this_system(), start_of(getpid()) - 1, EndKind::signal},  // the number belongs to another one now
      {gone, "another boot pid:[1]", 1, EndKind::running},                 // nothing is known of it
  };
  for (const auto& [pid, system, start, end] : cases) {
    RecordFile made(0, 2);
    made.event(Op::barrier);
    made.header().pid = pid;
    made.header().ended = record::Ended::running;
    std::strcpy(made.header().system, system.c_str());
    made.header().process_start = start;
    write("a/1", made, "job", 1);
    EXPECT_EQ(import_recording(top_ / "a").ranks[0].end.kind, end) << pid << " " << system << " " << start;
  }
}

}  // namespace
}  // namespace petri::test
