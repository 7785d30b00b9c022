#include "harness/report/junit.hpp"

#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(Junit, CountsAndNamesWhatHappened) {
  const JunitSuite suite{
      "scenarios",
      {{"a", "live", 1.25, JunitCase::Result::passed, "", "", ""},
       {"b", "live", 0.5, JunitCase::Result::failed, "expected deadlock", "got <completes> & \"more\"", "out"},
       {"c", "live", 0, JunitCase::Result::error, "cannot be read", "", ""},
       {"d", "live", 0, JunitCase::Result::skipped, "no mpirun", "", ""}}};
  EXPECT_EQ(render_junit({suite}), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="1" skipped="1" time="1.750">
  <testsuite name="scenarios" tests="4" failures="1" errors="1" skipped="1" time="1.750">
    <testcase name="a" classname="live" time="1.250" />
    <testcase name="b" classname="live" time="0.500">
      <failure message="expected deadlock">got &lt;completes&gt; &amp; "more"</failure>
      <system-out>out</system-out>
    </testcase>
    <testcase name="c" classname="live" time="0.000">
      <error message="cannot be read" />
    </testcase>
    <testcase name="d" classname="live" time="0.000">
      <skipped message="no mpirun" />
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST(Junit, CarriesNoCharacterThatXmlForbids) {
  const JunitSuite suite{"s", {{"a\x1b[31m", "c", 0, JunitCase::Result::failed, "\xff", "x\x01y\xef\xbf\xbf", ""}}};
  const std::string text = render_junit({suite});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("&#"), std::string::npos);
  EXPECT_NE(text.find("x\xef\xbf\xbdy\xef\xbf\xbd"), std::string::npos);
}

}  // namespace
}  // namespace petri
