#include "harness/launch/elsewhere.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace petri {
namespace {

using testing::_;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

// A variable of the environment for the time of a test.
class Set {
 public:
  Set(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Set() { unsetenv(name_); }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

 private:
  const char* name_;
};

// PATH is a folder with `mpirun` and, for version 5, `prterun`.
class Launchers {
 public:
  explicit Launchers(int version) {
    std::array<char, 32> pattern{"/tmp/petri_launchers_XXXXXX"};
    folder_ = mkdtemp(pattern.data());
    add("mpirun");
    if (version == 5) add("prterun");
    setenv("PATH", folder_.c_str(), 1);
  }
  ~Launchers() {
    setenv("PATH", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  Launchers(const Launchers&) = delete;
  Launchers& operator=(const Launchers&) = delete;

 private:
  void add(const char* name) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n";
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }
  std::string before_ = std::getenv("PATH");
  std::filesystem::path folder_;
};

GuardedCommand command(std::vector<std::string> arguments) {
  GuardedCommand made;
  made.arguments = std::move(arguments);
  made.environment = {{"LD_PRELOAD", "/lib/recorder.so"}, {"PETRI_RECORD_DIR", "/shared"}, {"OTHER", "1"}};
  return made;
}

TEST(Elsewhere, ReadsTheHostsThatACommandNames) {
  EXPECT_THAT(named_hosts({"mpirun", "--host", "n1:2,n2:2,n1:1", "-n", "4", "program"}), ElementsAre("n1", "n2"));
  EXPECT_THAT(named_hosts({"srun", "-w", "n7", "-n", "4", "program"}), ElementsAre("n7"));
  EXPECT_THAT(named_hosts({"srun", "-H", "program"}), IsEmpty()) << "srun's -H is no host";
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "petri_elsewhere_hosts";
  std::ofstream(file) << "# two\nn1 slots=4\n\nn2 # the other\n";
  EXPECT_THAT(named_hosts({"mpirun", "--hostfile", file.string(), "program"}), ElementsAre("n1", "n2"));
  std::filesystem::remove(file);
}

TEST(Elsewhere, ThisHostByAnyOfItsNamesIsNotElsewhere) {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  EXPECT_FALSE(may_leave_this_host({"mpirun", "-n", "2", "program"}));
  EXPECT_FALSE(may_leave_this_host({"mpirun", "--host", "localhost:4", "program"}));
  EXPECT_FALSE(may_leave_this_host({"mpirun", "--host", std::string(name.data()) + ":4", "program"}));
  EXPECT_TRUE(may_leave_this_host({"mpirun", "--host", "localhost,no-such-host", "program"}));
  EXPECT_TRUE(may_leave_this_host({"mpirun", "--hostfile", "/no/such/file", "program"}));
  EXPECT_TRUE(may_leave_this_host({"srun", "program"}));
  const Set nodes("SLURM_NNODES", "2");
  EXPECT_TRUE(may_leave_this_host({"mpirun", "-n", "2", "program"}));
}

TEST(Elsewhere, OpenMpi41IsToldBesideAnX) {
  const Launchers launchers(4);
  GuardedCommand job = command({"mpirun", "-x", "HOME", "program"});
  forward_environment(job);
  EXPECT_THAT(job.environment, Contains(Pair("OMPI_MCA_mca_base_env_list_internal", "LD_PRELOAD;PETRI_RECORD_DIR")));
  EXPECT_THAT(job.environment, Not(Contains(Key("OMPI_MCA_mca_base_env_list")))) << "4.1 refuses it beside -x";
}

TEST(Elsewhere, OpenMpi5IsToldByTheListThatItKnows) {
  const Launchers launchers(5);
  GuardedCommand job = command({"mpirun", "program"});
  forward_environment(job);
  EXPECT_THAT(job.environment, Contains(Pair("OMPI_MCA_mca_base_env_list", "LD_PRELOAD;PETRI_RECORD_DIR")));
  EXPECT_THAT(job.environment, Not(Contains(Key("OMPI_MCA_mca_base_env_list_internal"))));
}

TEST(Elsewhere, TheUsersOwnListsAreMadeLonger) {
  for (const int version : {4, 5}) {
    const Launchers launchers(version);
    const Set list("OMPI_MCA_mca_base_env_list", "THREADS;MODE=fast");
    GuardedCommand job = command({"mpirun", "program"});
    forward_environment(job);
    EXPECT_THAT(job.environment,
                Contains(Pair("OMPI_MCA_mca_base_env_list", "THREADS;MODE=fast;LD_PRELOAD;PETRI_RECORD_DIR")));
    EXPECT_THAT(job.environment, Not(Contains(Key("OMPI_MCA_mca_base_env_list_internal"))));

    GuardedCommand named = command({"mpirun", "--mca", "mca_base_env_list", "THREADS", "program"});
    forward_environment(named);
    EXPECT_THAT(named.arguments,
                ElementsAre("mpirun", "--mca", "mca_base_env_list", "THREADS;LD_PRELOAD;PETRI_RECORD_DIR", "program"));
    EXPECT_EQ(named.environment.size(), 3);
  }
}

TEST(Elsewhere, SlurmIsToldWhereItsListSaysLess) {
  const auto exported = [](const char* set) {
    const Set list("SLURM_EXPORT_ENV", set);
    GuardedCommand job = command({"srun", "program"});
    forward_environment(job);
    for (const auto& [name, value] : job.environment)
      if (name == "SLURM_EXPORT_ENV") return value;
    return std::string("as it was");
  };
  EXPECT_EQ(exported("ALL"), "as it was");
  EXPECT_EQ(exported("NONE"), "LD_PRELOAD,PETRI_RECORD_DIR");
  EXPECT_EQ(exported("HOME,MODE=fast"), "HOME,MODE=fast,LD_PRELOAD,PETRI_RECORD_DIR");
}

}  // namespace
}  // namespace petri
