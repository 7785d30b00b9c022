// Two ranks that differ, and no majority: the rest of the record says who left the usual way, or nobody does.
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kStep = "allreduce(count=1); allreduce(count=2); allreduce(count=3); allreduce(count=9);";

std::string repeated(int times, const std::string& calls) {
  std::string all;
  for (int i = 0; i < times; ++i) all += calls;
  return all;
}

Finding root_of(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  return diagnosis.findings.empty() ? Finding{} : diagnosis.findings.front();
}

// Whoever stands first must not matter.
void expect_culprit_in_both_orders(const std::string& usual, const std::string& odd, const std::string& told) {
  for (const std::int32_t culprit : {0, 1}) {
    std::vector<std::string> ranks{usual, usual};
    ranks[static_cast<std::size_t>(culprit)] = odd;
    const Finding root = root_of(script(ranks));
    EXPECT_THAT(root.culprits, ElementsAre(culprit));
    EXPECT_THAT(root.text + " " + testing::PrintToString(root.evidence), HasSubstr(told));
    EXPECT_THAT(root.evidence, Contains(HasSubstr("everywhere else in the record")));
  }
}

TEST(Precedent, NamesTheRankThatLeftACallOut) {
  const std::string before = repeated(3, kStep), after = repeated(2, kStep);
  expect_culprit_in_both_orders(before + kStep + after,
                                before + "allreduce(count=1); allreduce(count=3); allreduce(count=9);" + after,
                                "left out a call");
}

TEST(Precedent, NamesTheRankThatMadeACallTooMany) {
  const std::string before = repeated(3, kStep), after = repeated(2, kStep);
  expect_culprit_in_both_orders(
      before + kStep + after,
      before + "allreduce(count=1); barrier; allreduce(count=2); allreduce(count=3); allreduce(count=9);" + after,
      "made a call");
}

TEST(Precedent, NamesTheRankThatChangedTheOrder) {
  const std::string before = repeated(3, kStep), after = repeated(2, kStep);
  expect_culprit_in_both_orders(
      before + kStep + after,
      before + "allreduce(count=1); allreduce(count=3); allreduce(count=2); allreduce(count=9);" + after,
      "in another order");
}

// In its first step a rank has no history, but other groups of the same kind have one.
TEST(Precedent, OfOtherGroupsCounts) {
  constexpr const char* kGroups = R"({"comm":"a","ranks":[0,1]}
    {"comm":"b","ranks":[2,3]}
    {"comm":"c","ranks":[4,5]})";
  const auto step = [](const std::string& comm, bool odd) {
    return "allreduce(count=1 comm=" + comm + ");" + (odd ? "" : "allreduce(count=2 comm=" + comm + ");") +
           "allreduce(count=3 comm=" + comm + "); barrier";
  };
  const Finding root = root_of(script(
      {step("a", false), step("a", false), step("b", true), step("b", false), step("c", false), step("c", false)},
      kGroups));
  EXPECT_THAT(root.culprits, ElementsAre(2));
}

// A pair's last call of a step is missing: the one waits in it, the other with everybody else.
TEST(Precedent, NamesTheRankThatLeftOutTheLastCallOnItsGroup) {
  const auto steps = [](const std::string& comm, bool odd) {
    const std::string one = "allgather(comm=" + comm + "); allreduce(comm=" + comm + "); barrier;";
    return one + one + "allgather(comm=" + comm + ");" + (odd ? "" : "allreduce(comm=" + comm + ");") + "barrier";
  };
  for (const bool first : {true, false}) {
    const Finding root = root_of(script({steps("a", first), steps("a", !first)}, R"({"comm":"a","ranks":[0,1]})"));
    EXPECT_THAT(root.culprits, ElementsAre(first ? 0 : 1));
    EXPECT_THAT(root.text, HasSubstr("left out allreduce on a after allgather on a"));
    EXPECT_THAT(root.text, HasSubstr("went on to barrier"));
  }
}

TEST(Precedent, NamesTheRankThatCameToACollectiveTooEarly) {
  const std::string copies = R"({"comm":"a","ranks":[0,1]}
    {"comm":"b","ranks":[0,1]})";
  const std::string usual = "allreduce(comm=a); allgather(comm=b); barrier;",
                    odd = "allgather(comm=b); allreduce(comm=a);";
  const Finding root = root_of(script({usual + usual + usual, usual + usual + odd}, copies));
  EXPECT_THAT(root.culprits, ElementsAre(1));
  EXPECT_THAT(root.text, HasSubstr("called allgather on b before allreduce on a, after barrier"));
}

TEST(Precedent, OfALoopThatEndsIsNone) {
  const std::string loop = repeated(4, "allreduce(count=1);");
  const Finding root = root_of(script({loop + "allreduce(count=1); barrier", loop + "barrier"}));
  EXPECT_THAT(root.evidence, Not(Contains(HasSubstr("everywhere else in the record"))));
}

// Of two ranks' whole program texts: what follows the loop on both is made elsewhere only behind the difference.
TEST(Precedent, OfALoopThatEndsInWhatBothDoLaterIsNone) {
  const std::string loop = repeated(5, "allreduce(count=1); allgather(count=4);");
  const std::string end = "reduce(root=0 count=4); barrier";
  EXPECT_THAT(root_of(script({loop + "allreduce(count=1);" + end, loop + end})).culprits, ElementsAre(0, 1));
}

// Every third step has a call of its own, and the other rank makes it as well, one call later.
TEST(Precedent, WhatTheOtherRankDoesNextIsNotOdd) {
  const std::string step = "allreduce(count=1); allreduce(count=2); allreduce(count=3);";
  const std::string rare = "allgather(count=4);", rest = step + "barrier";
  const Finding root = root_of(script({step + step + rare + rest, step + step + "allreduce(count=1);" + rare + rest}));
  EXPECT_THAT(root.culprits, Contains(1));
}

// A call is made twice in a row at the end of both texts only: that is one precedent for a rank that does so before.
TEST(Precedent, WhatBothRanksDoAtOnePlaceIsOnePrecedent) {
  const std::string loop = repeated(2, "allreduce(count=4); barrier; bcast(root=0 count=1);"),
                    sync = "allreduce(count=1);";
  const std::string start = "allgather(count=1);" + loop + sync, rest = loop + sync + sync + "barrier";
  EXPECT_THAT(root_of(script({start + sync + rest, start + rest})).culprits, Contains(0));
}

TEST(Precedent, OfBothSidesIsNone) {
  // Inner loops of different lengths: each goes on and each ends elsewhere, too.
  const std::string outer = "allreduce(count=1); allreduce(count=1); barrier;";
  const Finding root =
      root_of(script({repeated(3, outer) + "allreduce(count=1);" + outer + outer, repeated(3, outer) + outer + outer}));
  EXPECT_THAT(root.evidence, Not(Contains(HasSubstr("everywhere else in the record"))));
}

}  // namespace
}  // namespace petri
