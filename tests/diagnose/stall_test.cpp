// A job that stands still: whether its ranks' positions prove that none can go on.
#include "harness/diagnose/stall.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/diagnose/diagnose.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri {
namespace {

using test::scenario;
using testing::ElementsAre;
using testing::IsEmpty;

// Two threads of each rank, in an order of their calls that would be a deadlock if it were that of one thread.
constexpr const char* kThreads = R"({{"rank":0,"op":"ssend","peer":1,"state":"started"}}
    {{"rank":0,"op":"recv","peer":1,"tag":{0},"thread":1,"state":"started"}}
    {{"rank":0,"end":"running"}}
    {{"rank":1,"op":"ssend","peer":0,"state":"started"}}
    {{"rank":1,"op":"recv","peer":0,"tag":{0},"thread":1,"state":"started"}}
    {{"rank":1,"end":"running"}})";

TEST(Diagnose, ThreadsOfOneRankWaitForThemselves) {
  const Diagnosis served = diagnose(scenario(2, fmt::format(kThreads, 0)));
  EXPECT_EQ(served.verdict, Verdict::ambiguous);  // all are in a call, and nothing blocks them
  const Diagnosis missed = diagnose(scenario(2, fmt::format(kThreads, 7)));
  EXPECT_EQ(missed.verdict, Verdict::deadlock);
}

TEST(Stall, IsProvedAmongThreads) {
  EXPECT_THAT(prove_stall(scenario(2, fmt::format(kThreads, 0))).ranks, IsEmpty());
  EXPECT_THAT(prove_stall(scenario(2, fmt::format(kThreads, 7))).ranks, ElementsAre(0, 1));
}

TEST(Stall, MismatchThatDoesNotReturnIsTold) {
  const Stall stall = prove_stall(scenario(2, R"({"rank":0,"op":"bcast","root":0,"state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"bcast","root":1,"state":"started"}
    {"rank":1,"end":"running"})"));
  EXPECT_TRUE(stall.by_mismatch);
  EXPECT_THAT(stall.ranks, ElementsAre(0, 1));
}

TEST(Stall, CallToWhichAllHaveComeMayBeSlow) {
  const std::string all = R"({"rank":0,"op":"allreduce","count":1,"state":"started"}
{"rank":1,"op":"allreduce","count":1,"state":"started"}
)";
  const std::string ends = R"({"rank":0,"end":"running"}
{"rank":1,"end":"running"}
)";
  EXPECT_TRUE(prove_stall(scenario(2, all + ends)).may_be_slow);
  const std::string one = all.substr(0, all.find('\n') + 1);
  EXPECT_FALSE(prove_stall(scenario(2, one + ends)).may_be_slow);
}

TEST(Stall, WaitForAMismatchingCollectiveThatDoesNotReturnIsTold) {
  const Stall stall = prove_stall(scenario(2, R"({"rank":0,"op":"ibcast","root":0,"request":0,"state":"completed"}
    {"rank":0,"op":"wait","request":0,"state":"completed"}
    {"rank":0,"op":"finalize","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"ibcast","root":1,"request":0,"state":"completed"}
    {"rank":1,"op":"wait","request":0,"state":"started"}
    {"rank":1,"end":"running"})"));
  EXPECT_THAT(stall.ranks, ElementsAre(1));
  EXPECT_TRUE(stall.by_mismatch);
}

TEST(Stall, IsProvedOnlyWhenNobodyCanCome) {
  const char* lines = R"({{"rank":0,"op":"barrier","state":"started"}}
    {{"rank":0,"end":"running"}}
    {{"rank":1,"op":"allreduce","state":"{}"}}
    {{"rank":1,"end":"running"}})";
  EXPECT_THAT(prove_stall(scenario(2, fmt::format(fmt::runtime(lines), "started"))).ranks, ElementsAre(0, 1));
  // Where the allreduce has returned, against the rules, rank 1 computes: nothing is proved.
  EXPECT_THAT(prove_stall(scenario(2, fmt::format(fmt::runtime(lines), "completed"))).ranks, ElementsAre(0));
}

}  // namespace
}  // namespace petri
