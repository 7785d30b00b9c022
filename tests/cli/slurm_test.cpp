// petri record of jobs that srun starts, in a Slurm of the test's own.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "harness/launch/mpirun.hpp"
#include "harness/trace/read.hpp"
#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kNoSlurm = 77;
const std::string kPrograms = PETRI_PROGRAMS;

class Slurm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can run a slurmd that starts its tasks";
    for (const char* program : {"srun", "slurmctld", "slurmd", "munged", "ip"})
      if (find_program(program).empty())
        GTEST_SKIP() << "needs the program " << program << " (slurm-wlm, munge, iproute2)";
    fs::create_directory(scratch.folder() / "work");
  }

  // `petri record -- words`, with Slurm up; status kNoSlurm where it does not come up.
  Ran record(const std::vector<std::string>& words) const {
    std::vector<std::string> command{"unshare", "--net",  "--uts",        "--mount",
                                     "--pid",   "--fork", "--kill-child", "--mount-proc"};
    command.insert(command.end(),
                   {"sh", PETRI_SLURM_HOST, scratch.folder(), PETRI_PROGRAM, "record", "-o", "out.jsonl", "--"});
    command.insert(command.end(), words.begin(), words.end());
    return scratch.run(command, 100);
  }

  Scenario recorded() const { return read_scenario(scratch.folder() / "work" / "out.jsonl"); }

  Scratch scratch;
};

TEST_F(Slurm, AHangUnderSrunIsProvedAndItsStepEnded) {
  const Ran ran = record({"srun", "-n", "4", kPrograms + "/program_uneven_batches"});
  if (ran.status == kNoSlurm) GTEST_SKIP() << "no Slurm comes up here";
  ASSERT_EQ(ran.status, 10) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("begun by rank 3"));
  EXPECT_THAT(recorded().header.hosts, ElementsAre("slurm1", "slurm1", "slurm1", "slurm1"));
  EXPECT_THAT(scratch.read("left"), IsEmpty());
}

TEST_F(Slurm, TheTaskThatWasKilledIsTheCulprit) {
  const Ran ran = record({"srun", "-n", "4", kPrograms + "/program_killed"});
  if (ran.status == kNoSlurm) GTEST_SKIP() << "no Slurm comes up here";
  ASSERT_EQ(ran.status, 14) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("begun by rank 2"));
  EXPECT_THAT(scratch.read("left"), IsEmpty());
}

TEST_F(Slurm, AScriptAroundSrunIsEndedWithItsStep) {
  const fs::path script = scratch.write("work/run.sh", "srun -n 4 " + kPrograms + "/program_uneven_batches\n");
  const Ran ran = record({"sh", script});
  if (ran.status == kNoSlurm) GTEST_SKIP() << "no Slurm comes up here";
  EXPECT_EQ(ran.status, 10) << ran.err;
  EXPECT_THAT(scratch.read("left"), IsEmpty());
}

TEST_F(Slurm, SaysSoWhereSrunKeepsTheRecorderFromItsTasks) {
  const Ran ran = record({"srun", "--export=NONE", "-n", "2", kPrograms + "/program_uneven_batches", "--fixed"});
  if (ran.status == kNoSlurm) GTEST_SKIP() << "no Slurm comes up here";
  EXPECT_EQ(ran.status, 3) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("srun's --export keeps the recorder from its tasks"));
}

}  // namespace
}  // namespace petri::cli::testing
