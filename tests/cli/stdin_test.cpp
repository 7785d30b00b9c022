// "-" for a scenario is standard input, as it is standard output for a result.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/cli/petri_process.hpp"

namespace petri::cli::testing {
namespace {

using ::testing::HasSubstr;

class FromStdin : public ::testing::Test {
 protected:
  FromStdin() { scratch_.write("case.jsonl", extra_barrier()); }

  // `before` writes what petri reads.
  Ran petri_after(const std::string& before, const std::vector<std::string>& args) const {
    std::vector<std::string> words{"bash", "-c", before + R"( | "$@")", "bash", PETRI_PROGRAM};
    words.insert(words.end(), args.begin(), args.end());
    return scratch_.run(words);
  }

  Scratch scratch_;
};

TEST_F(FromStdin, EveryCommandReadsAScenario) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"diagnose"}, {"show"}, {"export", "--to", "c"}, {"shrink", "--no-live", "-o", "-"}}) {
    std::vector<std::string> from_file = command, from_stdin = command;
    from_file.emplace_back("case.jsonl");
    from_stdin.emplace_back("-");
    const Ran expected = scratch_.petri(from_file);
    const Ran ran = petri_after("cat case.jsonl", from_stdin);
    EXPECT_EQ(ran.status, expected.status) << command[0] << ran.err;
    if (command[0] == "shrink") {
      EXPECT_THAT(ran.out, HasSubstr(R"("source":"standard input")"));
    } else if (command[0] != "export") {
      EXPECT_EQ(ran.out, expected.out);
    }
  }
}

TEST_F(FromStdin, AlsoCompressed) {
  const Ran ran = petri_after("zstd -q -c case.jsonl", {"diagnose", "-"});
  EXPECT_EQ(ran.status, 10) << ran.err;
}

TEST_F(FromStdin, WhatIsWrongIsToldByLine) {
  const Ran broken = petri_after("(head -n 3 case.jsonl; echo '{')", {"diagnose", "-"});
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.err, HasSubstr("standard input:4:"));
  const Ran folder = scratch_.run({"bash", "-c", R"("$1" diagnose - </)", "bash", PETRI_PROGRAM});
  EXPECT_EQ(folder.status, 2);
  EXPECT_THAT(folder.err, HasSubstr("standard input: cannot be read: "));
}

TEST_F(FromStdin, AGuardNeedsAName) {
  const Ran nameless = petri_after("cat case.jsonl", {"check", "--add", "-", "--to", "guards"});
  EXPECT_EQ(nameless.status, 2);
  EXPECT_THAT(nameless.err, HasSubstr("--name"));
  const Ran named = petri_after("cat case.jsonl", {"check", "--add", "-", "--to", "guards", "--name", "extra"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_THAT(scratch_.read("guards/extra/scenario.jsonl"), HasSubstr(R"("source":"standard input")"));
}

// A named pipe is waited for as cat does it, but not in silence.
TEST_F(FromStdin, ANamedPipeThatNobodyWritesToIsNamed) {
  const Ran ran = scratch_.run({"bash", "-c",
                                R"(mkfifo pipe; "$1" diagnose pipe 2> said & reader=$!
                                   until grep -q waiting said; do sleep 0.05; done
                                   cat case.jsonl > pipe; wait $reader)",
                                "bash", PETRI_PROGRAM});
  EXPECT_EQ(ran.status, 10);
  EXPECT_EQ(scratch_.read("said"), "petri: pipe is a pipe to which nothing has been written: waiting for it\n");
}

TEST_F(FromStdin, AFileThatTheSystemDoesNotReadIsUnreadable) {
  const Ran ran = scratch_.petri({"diagnose", "/proc/self/mem"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("/proc/self/mem: cannot be read: Input/output error"));
}

}  // namespace
}  // namespace petri::cli::testing
