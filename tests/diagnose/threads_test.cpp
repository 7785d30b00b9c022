#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri {
namespace {

using test::scenario;
using testing::ElementsAre;
using testing::HasSubstr;

// Threads that take turns by a lock or a join of which no record knows.
TEST(Threads, ThatTookTurnsMetAsTheRecordLists) {
  std::string lines;
  for (const char* rank : {"0", "1"})
    for (const auto& [thread, site] : {std::pair("1", "a.c:1"), std::pair("0", "a.c:2"), std::pair("2", "a.c:1"),
                                       std::pair("0", "a.c:2"), std::pair("3", "a.c:1"), std::pair("0", "a.c:2")})
      lines += std::string(R"({"rank":)") + rank + R"(,"op":"barrier","state":"completed","thread":)" + thread +
               R"(,"site":")" + site + "\"}\n";
  const Diagnosis diagnosis = diagnose(scenario(2, lines));
  EXPECT_EQ(diagnosis.verdict, Verdict::completes)
      << (diagnosis.findings.empty() ? "" : diagnosis.findings.front().text);
}

Scenario with_a_second_thread(const std::string& level) {
  Scenario one = scenario(2, R"({"rank":0,"op":"barrier","site":"a.c:1","thread":0}
    {"rank":1,"op":"barrier","site":"a.c:2","thread":1})");
  one.header.environment.emplace_back("mpi_threads", level);
  return one;
}

TEST(Threads, OtherThanTheMainOneMakeCallsWhereTheLevelAllowsThem) {
  for (const char* level : {"single", "funneled"}) {
    const Diagnosis diagnosis = diagnose(with_a_second_thread(level));
    ASSERT_EQ(diagnosis.verdict, Verdict::misuse) << level;
    EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(1));
    EXPECT_THAT(diagnosis.findings.front().text, HasSubstr("barrier at a.c:2"));
  }
  for (const char* level : {"serialized", "multiple"})
    EXPECT_EQ(diagnose(with_a_second_thread(level)).verdict, Verdict::completes) << level;
}

}  // namespace
}  // namespace petri
