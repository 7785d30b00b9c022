// Ranks of a deadlock that nothing else tells apart: the one whose step is not like its steps before began it.
#include <gmock/gmock.h>

#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/script.hpp"

namespace petri {
namespace {

using test::script;
using testing::ElementsAre;
using testing::HasSubstr;

std::string send(int step, int tag) {
  return "send(peer=1 tag=" + std::to_string(tag) + " count=4 step=" + std::to_string(step) + "); ";
}
std::string recv(int step, int tag) {
  return "recv(peer=0 tag=" + std::to_string(tag) + " count=4 step=" + std::to_string(step) + "); ";
}
std::string barrier(int step) {
  return "barrier(step=" + std::to_string(step) + "); ";
}

Diagnosis of_pair(const std::string& sender, const std::string& receiver) {
  const Diagnosis diagnosis = diagnose(script({sender, receiver}));
  EXPECT_EQ(diagnosis.verdict, Verdict::deadlock);
  return diagnosis;
}

TEST(OddStep, MessageLeftOutBeforeABarrierIsTheSendersFault) {
  const Diagnosis diagnosis =
      of_pair(send(0, 1) + send(0, 2) + barrier(0) + send(1, 1) + send(1, 2) + barrier(1) + send(2, 2) + barrier(2),
              recv(0, 1) + recv(0, 2) + barrier(0) + recv(1, 1) + recv(1, 2) + barrier(1) + recv(2, 1) + recv(2, 2) +
                  barrier(2));
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(0));
}

TEST(OddStep, ReceiveTooManyIsTheReceiversFault) {
  const Diagnosis diagnosis =
      of_pair(send(0, 1) + barrier(0) + send(1, 1) + barrier(1) + send(2, 1) + barrier(2),
              recv(0, 1) + barrier(0) + recv(1, 1) + barrier(1) + recv(2, 1) + recv(2, 1) + barrier(2));
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(1));
}

TEST(OddStep, SameLoopFromTheStartNamesNobodyByItsSteps) {
  const Diagnosis diagnosis = of_pair(send(0, 2) + barrier(0), recv(0, 1) + barrier(0));
  EXPECT_THAT(diagnosis.findings.front().text, testing::Not(HasSubstr("steps before")));
}

TEST(OddStep, RankWithoutAHabitBreaksNone) {
  const Diagnosis diagnosis = of_pair(send(0, 1) + barrier(0) + send(1, 2) + barrier(1) + send(2, 3) + barrier(2),
                                      recv(0, 1) + barrier(0) + recv(1, 2) + barrier(1) + recv(2, 1) + barrier(2));
  EXPECT_THAT(diagnosis.findings.front().text, testing::Not(HasSubstr("steps before")));
}

}  // namespace
}  // namespace petri
