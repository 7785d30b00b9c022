// A group waits for one of its members, and all others for the group: what is nearest to the cause is told.
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kGroup = R"({"comm":"group","ranks":[2,3,4]})";

TEST(NearestWait, RankThatFinalizesIsMissedByItsGroupNotByAll) {
  const Diagnosis diagnosis = diagnose(script({"allreduce", "allreduce", "allreduce(comm=group); allreduce",
                                               "allreduce(comm=group); allreduce", "finalize", "allreduce"},
                                              kGroup));
  EXPECT_EQ(diagnosis.signature, "deadlock: A(allreduce@0 waits for finalize)");
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(4));
}

TEST(NearestWait, TheGroupsCallIsInTheSignature) {
  const Diagnosis diagnosis = diagnose(script({"allreduce", "allreduce", "barrier(comm=group); allreduce",
                                               "barrier(comm=group); allreduce", "finalize", "allreduce"},
                                              kGroup));
  EXPECT_EQ(diagnosis.signature, "deadlock: A(barrier@0 waits for finalize)");
}

TEST(NearestWait, SlowRankHoldsUpItsGroup) {
  const Diagnosis diagnosis =
      diagnose(script({"allreduce(state=started); end(running)", "allreduce(state=started); end(running)",
                       "barrier(comm=group state=started); end(running)",
                       "barrier(comm=group state=started); end(running)", "sleep(state=started); end(running)"},
                      kGroup));
  EXPECT_EQ(diagnosis.signature, "skew: A(sleep) B(barrier@0 waits for A)");
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(4));
  EXPECT_THAT(diagnosis.findings.front().text, HasSubstr("ranks 2,3 wait in barrier"));
}

}  // namespace
}  // namespace petri
