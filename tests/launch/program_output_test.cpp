#include "harness/launch/program_output.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

TEST(ProgramOutput, KeepsTheStreamsApartAndTheStatus) {
  const ProgramOutput output = output_of({{"/bin/sh", "-c", "echo out; echo err >&2; cat; exit 3"}, {}});
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  EXPECT_EQ(output.status, 3);
  EXPECT_EQ(output_of({{"/bin/sh", "-c", "kill -9 $$"}, {}}).status, 128 + 9);
}

TEST(ProgramOutput, TakesAsMuchAsThereIs) {
  EXPECT_EQ(output_of({{"head", "-c", "3000000", "/dev/zero"}, {}}).out, std::string(3000000, '\0'));
}

TEST(ProgramOutput, TheEnvironmentIsAddedToAndTakenFrom) {
  setenv("PETRI_TEST_GONE", "1", 1);
  setenv("PETRI_TEST_KEPT", "2", 1);
  setenv("PETRI_TEST_OTHER", "3", 1);
  const ProgramOutput output =
      output_of({{"/bin/sh", "-c", "echo \"$PETRI_TEST_GONE,$PETRI_TEST_KEPT,$PETRI_TEST_OTHER\""},
                 {{"PETRI_TEST_OTHER", "4"}},
                 {"PETRI_TEST_GONE"}});
  EXPECT_EQ(output.out, ",2,4\n");
}

TEST(ProgramOutput, WhatCannotStartOrDoesNotEndIsAnError) {
  EXPECT_THROW(output_of({{"petri-has-no-such-program"}, {}}), EnvironmentError);
  ProgramCall call{{"sleep", "60"}, {}};
  call.limit_s = 0.1;
  EXPECT_THROW(output_of(call), EnvironmentError);
}

}  // namespace
}  // namespace petri
