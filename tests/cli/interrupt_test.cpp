// An interrupt before a replay's ranks have begun, or that its launcher has taken too: all commands end in order.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kBySigint = 130, kBySigterm = 143;

const std::string kSkew = R"({"petri":1,"job":"slow","world":2,"backend":"mpi","expect":{"verdict":"skew"}}
{"rank":0,"op":"sleep","state":"started"}
{"rank":1,"op":"barrier","state":"started"}
{"rank":0,"end":"running"}
{"rank":1,"end":"running"}
{"end":true,"events":2}
)";

// In place of mpirun: has the petri that the user started interrupted, and then does as it is told.
class Interrupted : public ::testing::Test {
 protected:
  Interrupted() { scratch_.write("slow.jsonl", kSkew); }

  std::string launcher(const std::string& signal, const std::string& then, const std::string& before = "") const {
    const fs::path file = scratch_.write("launcher", "#!/bin/sh\n" + before + R"sh(
process=$PPID
while process=$(cut -d' ' -f4 "/proc/$process/stat") && [ "$(cat "/proc/$process/comm")" = petri ]; do
  petri=$process
done
kill -)sh" + signal + R"sh( "$petri"
)sh" + then + "\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  Ran petri(const std::string& launcher, const std::vector<std::string>& args) const {
    std::vector<std::string> words{"env", "PETRI_MPIRUN=" + launcher, PETRI_PROGRAM};
    words.insert(words.end(), args.begin(), args.end());
    return scratch_.run(words);
  }

  Scratch scratch_;
};

TEST_F(Interrupted, BeforeTheRanksOfAReplayHaveBegun) {
  for (const std::string then : {"exec sleep 50", "exit 1"}) {
    const Ran by_sigint = petri(launcher("INT", then), {"replay", "--repeat", "3", "slow.jsonl"});
    EXPECT_EQ(by_sigint.status, kBySigint) << then << by_sigint.err;
    EXPECT_EQ(by_sigint.err, "") << then;
    const Ran by_sigterm = petri(launcher("TERM", then), {"replay", "slow.jsonl"});
    EXPECT_EQ(by_sigterm.status, kBySigterm) << then << by_sigterm.err;
    EXPECT_EQ(by_sigterm.err, "") << then;
  }
}

TEST_F(Interrupted, InACheck) {
  const Ran ran = petri(launcher("INT", "exec sleep 50"), {"check", "--live-only", "slow.jsonl"});
  EXPECT_EQ(ran.status, kBySigint) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("interrupted"));
}

TEST_F(Interrupted, WhileAShrinkReplaysItsResult) {
  const Ran ran = petri(launcher("INT", "exec sleep 50"), {"shrink", "-o", "small.jsonl", "slow.jsonl"});
  EXPECT_EQ(ran.status, kBySigint) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("not replayed: interrupted\n"));
  EXPECT_THAT(ran.err, Not(HasSubstr("did not start")));
}

TEST_F(Interrupted, WhileReplaysJudgeForAShrink) {
  const Ran ran = petri(launcher("TERM", "exit 1"), {"shrink", "--oracle", "live", "-o", "small.jsonl", "slow.jsonl"});
  EXPECT_EQ(ran.status, kBySigterm) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("interrupted before there was an answer for the input"));
}

TEST_F(Interrupted, WhileACompareMeasures) {
  for (const std::string then : {"exec sleep 50", "exit 1"}) {
    const Ran ran = petri(launcher("INT", then), {"compare", "--live", "--ranks", "2", "--kernels", "reproducible"});
    EXPECT_EQ(ran.status, kBySigint) << then << ran.err;
    EXPECT_EQ(ran.out, "") << then;
    EXPECT_THAT(ran.err, HasSubstr("interrupted while it measured")) << then;
    EXPECT_THAT(ran.err, Not(HasSubstr("did not start"))) << then;
  }
}

TEST_F(Interrupted, BeforeARecordedProgramHasBegun) {
  for (const std::string then : {"exec sleep 50", "exit 1"}) {
    const Ran ran = scratch_.petri({"record", "-o", "new.jsonl", "--", launcher("INT", then)});
    EXPECT_EQ(ran.status, kBySigint) << then << ran.err;
  }
}

TEST_F(Interrupted, AShrinkWithoutAReplaySaysWhyThereIsNone) {
  scratch_.write("case.jsonl", extra_barrier());
  const std::string asked = scratch_.folder() / "asked";
  const std::string oracle =
      launcher("INT", "grep -q barrier scenario.jsonl",
               "echo >>" + asked + "\n[ $(wc -l <" + asked + ") -lt 8 ] && exec grep -q barrier scenario.jsonl");
  for (const auto& [option, reason] : {std::pair{"--no-live", "--no-live"}, std::pair{"--seed=1", "interrupted"}}) {
    fs::remove(asked);
    const Ran ran = scratch_.petri({"shrink", option, "--oracle", oracle, "-o", "small.jsonl", "case.jsonl"});
    EXPECT_EQ(ran.status, kBySigint) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(std::string("not replayed: ") + reason + "\n"));
  }
}

}  // namespace
}  // namespace petri::cli::testing
