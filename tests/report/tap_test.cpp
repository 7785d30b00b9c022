#include "harness/report/tap.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/report/check_cases.hpp"

namespace petri {
namespace {

TEST(Tap, OnePointForEachCheck) {
  EXPECT_EQ(render_tap(testing::one_of_each()), R"(TAP version 13
1..5
ok 1 - cases/a/scenario.jsonl (model)
not ok 2 - cases/b/scenario.jsonl (live)
  ---
  message: "expected completes, got deadlock: A"
  severity: fail
  wanted: "completes"
  found: "deadlock: A"
  file: "src/train.cpp"
  line: 52
  story: "expected completes, got deadlock: A\n\nRank 0 waits.\n  for rank 1\n\nsource: src/train.cpp:52\nreproducer: cases/b/scenario.jsonl\nagain: petri check --live-only cases/b/scenario.jsonl\n"
  ...
not ok 3 - cases/c.jsonl (model)
  ---
  message: "cases/c.jsonl:7:1: no object"
  severity: error
  file: "cases/c.jsonl"
  line: 7
  story: "cases/c.jsonl:7:1: no object\nreproducer: cases/c.jsonl:7\n"
  ...
ok 4 - d.jsonl (live) # SKIP no mpirun
not ok 5 - e.jsonl (live)
  ---
  message: "3 of 5 runs"
  severity: error
  file: "e.jsonl"
  line: 1
  story: "3 of 5 runs\nreproducer: e.jsonl\n"
  ...
)");
}

TEST(Tap, NothingSelectedIsASkippedPlan) {
  EXPECT_EQ(render_tap({}), "TAP version 13\n1..0 # SKIP no reproducer was selected\n");
}

TEST(Tap, HostileTextMakesNoLineOfItsOwn) {
  std::istringstream lines(render_tap({testing::hostile()}));
  std::string line;
  for (int number = 0; std::getline(lines, line); ++number) {
    if (number == 2) {
      EXPECT_EQ(line, "not ok 1 - a,b:c%d ::error::x/\xef\xbf\xbd.jsonl (model)");
    } else if (number > 2) {
      EXPECT_EQ(line.substr(0, 2), "  ") << line;
    }
  }
}

}  // namespace
}  // namespace petri
