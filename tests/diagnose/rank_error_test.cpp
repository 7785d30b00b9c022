#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri {
namespace {

using test::scenario;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(RankError, ErrorThatAWaitReportsIsThatOfItsMessage) {
  const Diagnosis diagnosis = diagnose(scenario(2, R"({"rank":0,"op":"send","peer":1,"count":10,"dtype":"int32"}
    {"rank":1,"op":"irecv","peer":0,"count":5,"dtype":"int32","request":0}
    {"rank":1,"op":"wait","request":0,"error":"MPI_ERR_TRUNCATE"})"));
  EXPECT_EQ(diagnosis.verdict, Verdict::mismatch);
}

TEST(RankError, ErrorThatEndedARankComesBeforeTheEndsOfThoseThatWereKilled) {
  const Diagnosis diagnosis = diagnose(scenario(3, R"({"rank":0,"op":"barrier","state":"started"}
    {"rank":0,"end":"signal"}
    {"rank":1,"op":"barrier","state":"started"}
    {"rank":1,"end":"signal"}
    {"rank":2,"op":"abort","state":"started","error":"MPI_ERR_COMM: invalid communicator, in MPI_Comm_rank","site":"a.c:3"}
    {"rank":2,"end":"aborted","status":5})"));
  EXPECT_EQ(diagnosis.verdict, Verdict::rank_error);
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(2));
  EXPECT_THAT(diagnosis.findings.front().text,
              HasSubstr(R"(ended with "MPI_ERR_COMM: invalid communicator, in MPI_Comm_rank" at a.c:3)"));
  // A replay can but abort where an argument was refused.
  EXPECT_EQ(diagnosis.signature, "rank-error: abort");
}

TEST(RankError, SignalIsNamedWhereItIsKnown) {
  const auto text_with = [](const char* signal) {
    return diagnose(scenario(1, fmt::format(R"({{"rank":0,"op":"barrier","state":"completed"}}
    {{"rank":0,"end":"signal"{}}})",
                                            signal)))
        .findings.front()
        .text;
  };
  EXPECT_THAT(text_with(""), HasSubstr("was killed by a signal"));
  EXPECT_THAT(text_with(R"(,"signal":11)"), HasSubstr("was killed by signal 11"));
}

TEST(RankError, MeaningBehindAnErrorsClassChangesNothing) {
  const auto with_error = [](const char* error) {
    return diagnose(scenario(2, fmt::format(R"({{"rank":0,"op":"barrier"}}
    {{"rank":1,"op":"bcast","root":0,"error":"{}"}}
    {{"rank":1,"op":"barrier"}})",
                                            error)));
  };
  const Diagnosis with = with_error("MPI_ERR_COUNT: invalid count argument"), without = with_error("MPI_ERR_COUNT");
  EXPECT_EQ(with.verdict, Verdict::rank_error);
  EXPECT_EQ(with.signature, without.signature);
}

TEST(RankError, InvalidArgumentIsTheErrorOfItsRankAlsoWhereOthersCallSomethingElse) {
  const Diagnosis diagnosis = diagnose(scenario(2, R"({"rank":0,"op":"barrier"}
    {"rank":1,"op":"bcast","root":0,"error":"MPI_ERR_COUNT"}
    {"rank":1,"op":"barrier"})"));
  EXPECT_EQ(diagnosis.verdict, Verdict::rank_error);
  EXPECT_THAT(diagnosis.findings.front().culprits, ElementsAre(1));
}

TEST(RankError, JobThatHungUntilItWasKilledIsADeadlock) {
  for (const char* end : {R"("end":"signal","signal":15)", R"("end":"signal","signal":9)", R"("end":"aborted")"}) {
    const Diagnosis diagnosis = diagnose(
        scenario(2, fmt::format(R"({{"rank":0,"op":"recv","peer":1,"count":1,"dtype":"int32","state":"started"}}
    {{"rank":0,{0}}}
    {{"rank":1,"op":"recv","peer":0,"count":1,"dtype":"int32","state":"started"}}
    {{"rank":1,{0}}})",
                                end)));
    EXPECT_EQ(diagnosis.verdict, Verdict::deadlock) << end;
    EXPECT_THAT(diagnosis.findings.front().evidence, Contains(HasSubstr("the job hung until it was ended"))) << end;
  }
}

TEST(RankError, KilledHangHasTheSignatureOfTheHang) {
  const auto with_end = [](const char* end) {
    return diagnose(scenario(2, fmt::format(R"({{"rank":0,"op":"barrier","state":"started"}}
    {{"rank":0,{0}}}
    {{"rank":1,"op":"allreduce","count":1,"dtype":"int32","reduce":"sum","state":"started"}}
    {{"rank":1,{0}}})",
                                            end)))
        .signature;
  };
  EXPECT_EQ(with_end(R"("end":"signal","signal":9)"), with_end(R"("end":"running")"));
}

// What speaks for the rank itself: a crash; a call that could return; an end between two calls; an abort that one calls
// while others wait for it, and are killed then.
TEST(RankError, RankThatDiesByItselfIsAnErrorAlsoWhereOthersAreKilledBehindIt) {
  for (const char* lines : {
           R"({"rank":0,"op":"recv","peer":1,"count":1,"dtype":"int32","state":"started"}
    {"rank":0,"end":"signal","signal":15}
    {"rank":1,"op":"recv","peer":0,"count":1,"dtype":"int32","state":"started"}
    {"rank":1,"end":"signal","signal":11})",
           R"({"rank":0,"op":"barrier","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"barrier","state":"started"}
    {"rank":1,"end":"signal","signal":9})",
           R"({"rank":0,"op":"barrier","state":"started"}
    {"rank":0,"end":"signal","signal":15}
    {"rank":1,"op":"compute","state":"started"}
    {"rank":1,"end":"signal","signal":9})",
           R"({"rank":0,"op":"barrier","state":"started"}
    {"rank":0,"end":"signal","signal":15}
    {"rank":1,"op":"compute"}
    {"rank":1,"end":"signal","signal":9})",
           R"({"rank":0,"op":"barrier","state":"started"}
    {"rank":0,"end":"signal","signal":15}
    {"rank":1,"op":"abort","state":"started"}
    {"rank":1,"end":"aborted"})",
           R"({"rank":0,"op":"recv","peer":1,"count":1,"dtype":"int32","state":"started"}
    {"rank":0,"end":"signal","signal":15}
    {"rank":1,"op":"recv","peer":0,"count":1,"dtype":"int32","state":"started","error":"MPI_ERR_BUFFER"}
    {"rank":1,"end":"aborted"})"})
    EXPECT_EQ(diagnose(scenario(2, lines)).verdict, Verdict::rank_error) << lines;
}

}  // namespace
}  // namespace petri
