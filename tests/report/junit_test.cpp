#include "harness/report/junit.hpp"

#include <gtest/gtest.h>

#include "tests/report/check_cases.hpp"

namespace petri {
namespace {

TEST(Junit, CountsAndNamesWhatHappened) {
  EXPECT_EQ(render_junit(testing::one_of_each(), {{"shard", "2/5"}}), R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" failures="1" errors="2" time="1.750">
  <testsuite name="petri check" tests="5" failures="1" errors="2" time="1.750" skipped="1">
    <properties>
      <property name="shard" value="2/5" />
    </properties>
    <testcase name="cases/a/scenario.jsonl (model)" classname="cases.a" time="1.250" />
    <testcase name="cases/b/scenario.jsonl (live)" classname="cases.b" time="0.500">
      <failure message="expected completes, got deadlock: A">expected completes, got deadlock: A

Rank 0 waits.
  for rank 1

source: src/train.cpp:52
reproducer: cases/b/scenario.jsonl
again: petri check --live-only cases/b/scenario.jsonl
</failure>
    </testcase>
    <testcase name="cases/c.jsonl (model)" classname="cases" time="0.000">
      <error message="cases/c.jsonl:7:1: no object">cases/c.jsonl:7:1: no object
reproducer: cases/c.jsonl:7
</error>
    </testcase>
    <testcase name="d.jsonl (live)" classname="petri" time="0.000">
      <skipped message="no mpirun">no mpirun</skipped>
    </testcase>
    <testcase name="e.jsonl (live)" classname="petri" time="0.000">
      <error message="3 of 5 runs">3 of 5 runs
reproducer: e.jsonl
</error>
    </testcase>
  </testsuite>
</testsuites>
)xml");
}

TEST(Junit, CarriesNoCharacterThatXmlForbids) {
  const std::string text = render_junit({testing::hostile()});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x01'), std::string::npos);
  EXPECT_EQ(text.find("&#"), std::string::npos);
  // In an attribute it is legal: XML 1.0, sections 2.3 and 2.4.
  EXPECT_EQ(text.find("]]>", text.find("<failure message=") + 40), std::string::npos);
  EXPECT_EQ(text.find("\xff"), std::string::npos);
  EXPECT_NE(text.find(">]]&gt; &lt;b&gt;&amp;amp; \"q\" # TODO \\ \xef\xbf\xbd[31m"), std::string::npos);
}

TEST(Junit, NothingSelectedIsAnEmptySuite) {
  EXPECT_NE(render_junit({}).find("<testsuite name=\"petri check\" tests=\"0\""), std::string::npos);
}

}  // namespace
}  // namespace petri
