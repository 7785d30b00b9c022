#include "harness/launch/mpirun.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(Mpirun, NamesWhatIsMissing) {
  setenv("PETRI_MPIRUN", "no-such-launcher", 1);
  try {
    mpirun_command(2, "worker", {});
    FAIL() << "found a launcher that is not there";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no-such-launcher"));
  }
  unsetenv("PETRI_MPIRUN");
}

TEST(Mpirun, RunsAsManyRanksAsAskedFor) {
  setenv("PETRI_MPIRUN", "/bin/true", 1);
  EXPECT_THAT(mpirun_command(3, "/x/worker", {"a b"}).arguments,
              ElementsAre("/bin/true", "-n", "3", "/x/worker", "a b"));
  unsetenv("PETRI_MPIRUN");
}

TEST(Mpirun, KeepsTheLaunchersFilesInTheRunFolder) {
  GuardedCommand command;
  command.arguments = {"mpirun", "-n", "2", "program"};
  keep_launcher_files_in("/run/folder", command);
  EXPECT_THAT(command.environment, Contains(Pair("OMPI_MCA_orte_tmpdir_base", "/run/folder")));
  EXPECT_THAT(command.environment, Not(Contains(Key("TMPDIR"))));
}

TEST(Mpirun, LeavesTheUsersPlacesAlone) {
  setenv("OMPI_MCA_orte_tmpdir_base", "/mine", 1);
  GuardedCommand command;
  command.arguments = {"mpirun", "-n", "2", "program"};
  keep_launcher_files_in("/run/folder", command);
  EXPECT_THAT(command.environment, Not(Contains(Key("OMPI_MCA_orte_tmpdir_base"))));
  unsetenv("OMPI_MCA_orte_tmpdir_base");
}

TEST(Mpirun, LeavesAJobOnNamedHostsAlone) {
  GuardedCommand command;
  command.arguments = {"mpirun", "--hostfile", "hosts", "program"};
  keep_launcher_files_in("/run/folder", command);
  EXPECT_THAT(command.environment, testing::IsEmpty());
}

}  // namespace
}  // namespace petri
