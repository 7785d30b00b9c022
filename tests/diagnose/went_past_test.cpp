// Different operations that met at one place, though the record shows all of them as over.
#include "harness/diagnose/went_past.hpp"

#include <gmock/gmock.h>

#include <string>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kNccl = R"("backend":"nccl")";

std::string call(int rank, const std::string& op, const std::string& state = "completed",
                 const std::string& more = "") {
  return R"({"rank":)" + std::to_string(rank) + R"(,"op":")" + op + R"(","count":4,"state":")" + state + "\"" + more +
         "}\n";
}

std::string ends(int world) {
  std::string lines;
  for (int rank = 0; rank < world; ++rank)
    lines += R"({"rank":)" + std::to_string(rank) +
             R"(,"end":"running"})"
             "\n";
  return lines;
}

TEST(WentPast, TheRankWithAnotherOperationIsNamed) {
  std::string lines;
  for (int rank = 0; rank < 3; ++rank)
    lines += call(rank, "allreduce") + call(rank, rank == 1 ? "allgather" : "allreduce") + call(rank, "allreduce");
  const Diagnosis found = diagnose(test::scenario(3, lines + ends(3), kNccl));
  EXPECT_EQ(found.verdict, Verdict::deadlock);
  EXPECT_THAT(found.findings.at(0).culprits, ElementsAre(1));
  EXPECT_THAT(found.findings.at(0).evidence, Contains(HasSubstr("got past it all the same")));
  EXPECT_EQ(found.findings.at(0).events.at(0), (EventRef{1, 1}));
}

TEST(WentPast, ItIsToldBeforeWhatHangsLater) {
  std::string lines;
  for (int rank = 0; rank < 4; ++rank)
    lines +=
        call(rank, rank == 1 ? "allgather" : "allreduce") + (rank == 3 ? "" : call(rank, "allreduce", "scheduled"));
  const Diagnosis found = diagnose(test::scenario(4, lines + ends(4), kNccl));
  EXPECT_EQ(found.verdict, Verdict::deadlock);
  EXPECT_THAT(found.findings.at(0).culprits, ElementsAre(1));
  EXPECT_EQ(found.findings.back().kind, Verdict::skew);
  EXPECT_THAT(found.findings.back().culprits, ElementsAre(3));
}

TEST(WentPast, AProcessThatMetOneWithoutARecordOnTheWayIsNamed) {
  std::string lines = R"({"rank":0,"end":"missing"})"
                      "\n";
  for (int rank = 1; rank < 4; ++rank)
    lines += R"({"rank":)" + std::to_string(rank) + R"(,"op":"recv","peer":0,"state":"completed"})" + "\n" +
             call(rank, rank == 2 ? "allgather" : "allreduce") + R"({"rank":)" + std::to_string(rank) +
             R"(,"end":"running"})" + "\n";
  const Diagnosis found = diagnose(test::scenario(4, lines));
  EXPECT_EQ(found.verdict, Verdict::deadlock);
  EXPECT_THAT(found.findings.at(0).culprits, ElementsAre(2));
}

TEST(WentPast, AnOrderThatCallsOfSeveralGroupsWereSeenToGetPastIsNone) {
  const std::string x = R"(,"comm":"x")";
  const std::string lines = R"({"comm":"x","ranks":[0,1]})"
                            "\n" +
                            call(0, "allreduce") + call(0, "allgather", "completed", x) +
                            call(1, "allgather", "completed", x) + call(1, "allreduce");
  const Diagnosis found = diagnose(test::scenario(2, lines + ends(2), kNccl));
  EXPECT_EQ(found.verdict, Verdict::ambiguous);
  EXPECT_THAT(found.findings.at(0).culprits, IsEmpty());
  EXPECT_THAT(found.notes, Contains(HasSubstr("they would block: Ranks 0,1 wait for each other in a cycle")));
  // In one order on both there is nothing to be said.
  std::string agree = R"({"comm":"x","ranks":[0,1]})"
                      "\n";
  for (const int rank : {0, 1}) agree += call(rank, "allreduce") + call(rank, "allgather", "completed", x);
  EXPECT_THAT(diagnose(test::scenario(2, agree + ends(2), kNccl)).notes, Not(Contains(HasSubstr("would block"))));
}

}  // namespace
}  // namespace petri
