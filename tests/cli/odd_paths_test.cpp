// Names with spaces, colons, quotes and letters beyond ASCII: of petri's own folder, programs, scenarios and outputs.
#include <gmock/gmock.h>

#include <cstdlib>

#include "harness/trace/read.hpp"
#include "tests/cli/petri_process.hpp"
#include "tests/support/mpi_environment.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kPrograms = PETRI_PROGRAMS;

class OddPaths : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { test::allow_root_and_oversubscription(); }

  OddPaths() : installed_(scratch_.folder() / "my $LIB:own petri \"é';" / "install") {
    fs::create_directories(installed_ / "bin");
    fs::create_directories(installed_ / "lib");
    for (const char* program : {"petri", "petri-guardian", "petri-worker", "program_uneven_batches"})
      fs::copy_file(kPrograms / program, installed_ / "bin" / program);
    fs::copy_file(PETRI_RECORDER_LIBRARY, recorder());
  }

  fs::path recorder() const { return installed_ / "lib" / "libpetri_record.so"; }

  Ran petri(std::vector<std::string> args) const {
    args.insert(args.begin(), installed_ / "bin" / "petri");
    return scratch_.run(args);
  }

  std::vector<std::string> job(const std::string& output) const {
    return {"record", "-o", output, "--", "mpirun", "-n", "4", installed_ / "bin" / "program_uneven_batches"};
  }

  Scratch scratch_;
  fs::path installed_;
};

TEST_F(OddPaths, OfTheInstallationKeepNoRankFromItsRecorder) {
  const std::string hang = "hang, \"é';: 1.jsonl";
  const Ran recorded = petri(job(hang));
  EXPECT_EQ(recorded.status, 10) << recorded.err;
  EXPECT_EQ(read_scenario(scratch_.folder() / hang).world(), 4);
  const Ran shrunk = petri({"shrink", "-o", "small 'é\".jsonl", hang});
  EXPECT_EQ(shrunk.status, 0) << shrunk.err;
  EXPECT_THAT(shrunk.out, HasSubstr("confirmed: deadlock"));
  const Ran replayed = petri({"replay", "small 'é\".jsonl"});
  EXPECT_EQ(replayed.status, 10) << replayed.err;
  const std::string program = installed_ / "bin" / "program_uneven_batches";
  const Ran added = petri({"check", "--add", "small 'é\".jsonl", "--to", "re producers;'", "--run-commands", "--ranks",
                           "4", "--", program});
  EXPECT_EQ(added.status, 0) << added.out << added.err;
  const Ran checked = petri({"check", "--run-commands", "re producers;'"});
  EXPECT_EQ(checked.status, 1) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("3 checks: 2 met, 1 missed"));
  EXPECT_TRUE(fs::is_regular_file(recorder())) << "the link went, and it alone";
}

TEST_F(OddPaths, WhereNoLinkHelpsTheReasonIsTold) {
  std::vector<std::string> far = job("far.jsonl");
  far.insert(far.begin() + 5, {"--host", "another-host:4"});
  const Ran run = petri(far);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("the dynamic linker cuts"));
  EXPECT_THAT(run.err, HasSubstr("other hosts"));
}

}  // namespace
}  // namespace petri::cli::testing
