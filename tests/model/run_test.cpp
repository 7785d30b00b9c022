#include "harness/model/run.hpp"

#include <gmock/gmock.h>

#include <set>

#include "harness/model/explore.hpp"
#include "tests/support/scenario_text.hpp"

namespace petri::model {
namespace {

using test::scenario;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Assumptions kStrict{};
constexpr Assumptions kBuffered{kUnlimited, false};
constexpr Assumptions kAsRecorded{std::nullopt, true};

std::vector<std::int32_t> stuck(const Scenario& scenario, const Assumptions& assumptions = kStrict) {
  return run(scenario, assumptions).stuck;
}

TEST(Run, BarrierWaitsForAll) {
  const auto two = scenario(3, R"({"rank":0,"op":"barrier"}
    {"rank":1,"op":"barrier"})");
  EXPECT_THAT(stuck(two), ElementsAre(0, 1, 2));  // rank 2 is in finalize, where it waits for the others
  const auto three = scenario(3, R"({"rank":0,"op":"barrier"}
    {"rank":1,"op":"barrier"}
    {"rank":2,"op":"barrier"})");
  EXPECT_THAT(stuck(three), IsEmpty());
  EXPECT_THAT(run(three, kStrict).standing, Each(Standing::finished));
}

TEST(Run, CollectivesMeetByPositionNotByName) {
  const auto crossed = scenario(2, R"({"rank":0,"op":"allreduce"}
    {"rank":0,"op":"barrier"}
    {"rank":1,"op":"barrier"}
    {"rank":1,"op":"allreduce"})");
  EXPECT_THAT(stuck(crossed), ElementsAre(0, 1));
}

TEST(Run, BlockingAndNonblockingFormsNeverMatch) {
  const auto mixed = scenario(2, R"({"rank":0,"op":"ibarrier","request":1}
    {"rank":0,"op":"wait","request":1}
    {"rank":1,"op":"barrier"})");
  EXPECT_THAT(stuck(mixed), ElementsAre(0, 1));
}

TEST(Run, NonblockingCollectivesOverlapInAnyOrderOfWaits) {
  const auto overlapped = scenario(2, R"({"comm":"a","ranks":[0,1]}
    {"rank":0,"op":"iallreduce","request":1}
    {"rank":0,"op":"iallreduce","comm":"a","request":2}
    {"rank":0,"op":"waitall","requests":[1,2]}
    {"rank":1,"op":"iallreduce","comm":"a","request":1}
    {"rank":1,"op":"iallreduce","request":2}
    {"rank":1,"op":"wait","request":2}
    {"rank":1,"op":"wait","request":1})");
  EXPECT_THAT(stuck(overlapped), IsEmpty());
}

TEST(Run, SendMayWaitForItsReceiveUnlessItIsBuffered) {
  const auto exchange = scenario(2, R"({"rank":0,"op":"send","peer":1,"count":10,"dtype":"byte"}
    {"rank":0,"op":"recv","peer":1,"count":10,"dtype":"byte"}
    {"rank":1,"op":"send","peer":0,"count":10,"dtype":"byte"}
    {"rank":1,"op":"recv","peer":0,"count":10,"dtype":"byte"})");
  EXPECT_THAT(stuck(exchange), ElementsAre(0, 1));
  EXPECT_THAT(stuck(exchange, kBuffered), IsEmpty());
  EXPECT_THAT(stuck(exchange, {10, false}), IsEmpty());
  EXPECT_THAT(stuck(exchange, {9, false}), ElementsAre(0, 1));
}

TEST(Run, SynchronousSendIsNeverBufferedAndBufferedSendAlwaysIs) {
  const char* lines = R"({{"rank":0,"op":"{0}","peer":1}}
    {{"rank":0,"op":"recv","peer":1}}
    {{"rank":1,"op":"{0}","peer":0}}
    {{"rank":1,"op":"recv","peer":0}})";
  EXPECT_THAT(stuck(scenario(2, fmt::format(fmt::runtime(lines), "ssend")), kBuffered), ElementsAre(0, 1));
  EXPECT_THAT(stuck(scenario(2, fmt::format(fmt::runtime(lines), "bsend")), kStrict), IsEmpty());
}

TEST(Run, SendrecvExchangesWithoutDeadlock) {
  const auto ring = scenario(3, R"({"rank":0,"op":"sendrecv","sendpeer":1,"recvpeer":2}
    {"rank":1,"op":"sendrecv","sendpeer":2,"recvpeer":0}
    {"rank":2,"op":"sendrecv","sendpeer":0,"recvpeer":1})");
  EXPECT_THAT(stuck(ring), IsEmpty());
}

TEST(Run, BufferedCollectivesWaitOnlyForWhatTheyNeed) {
  const auto root_leaves = scenario(2, R"({"rank":0,"op":"bcast","root":0}
    {"rank":0,"op":"send","peer":1}
    {"rank":1,"op":"recv","peer":0}
    {"rank":1,"op":"bcast","root":0})");
  EXPECT_THAT(stuck(root_leaves), ElementsAre(0, 1));
  EXPECT_THAT(stuck(root_leaves, kBuffered), IsEmpty());
  const auto scan_needs_lower = scenario(2, R"({"rank":0,"op":"scan"}
    {"rank":0,"op":"send","peer":1}
    {"rank":1,"op":"recv","peer":0}
    {"rank":1,"op":"scan"})");
  EXPECT_THAT(stuck(scan_needs_lower, kBuffered), IsEmpty());
  const auto scan_needs_lower_first = scenario(2, R"({"rank":0,"op":"recv","peer":1}
    {"rank":0,"op":"scan"}
    {"rank":1,"op":"scan"}
    {"rank":1,"op":"send","peer":0})");
  EXPECT_THAT(stuck(scan_needs_lower_first, kBuffered), ElementsAre(0, 1));
}

TEST(Run, RunningRankMayStillComeAndAMissingOneMayHave) {
  const auto computing = scenario(2, R"({"rank":0,"op":"barrier"}
    {"rank":1,"op":"compute"}
    {"rank":1,"end":"running"})");
  const auto one = run(computing, kStrict);
  EXPECT_THAT(one.stuck, IsEmpty());
  EXPECT_THAT(one.standing, ElementsAre(Standing::blocked, Standing::running));
  const auto missing = scenario(2, R"({"rank":0,"op":"barrier"}
    {"rank":1,"end":"missing"})");
  EXPECT_THAT(run(missing, kStrict).standing, ElementsAre(Standing::blocked, Standing::unknown));
}

TEST(Run, CycleIsStuckEvenWhileAThirdRankComputes) {
  const auto cycle = scenario(3, R"({"rank":0,"op":"recv","peer":1}
    {"rank":1,"op":"recv","peer":0}
    {"rank":2,"op":"compute","state":"started"}
    {"rank":2,"end":"running"})");
  EXPECT_THAT(stuck(cycle), ElementsAre(0, 1));
}

TEST(Run, AnySourceIsReleasableWhileOneSenderIsFree) {
  const char* lines = R"({{"rank":0,"op":"recv","peer":"any"}}
    {{"rank":1,"op":"recv","peer":0}}
    {{"rank":2,"end":"{}"}})";
  EXPECT_THAT(stuck(scenario(3, fmt::format(fmt::runtime(lines), "running"))), IsEmpty());
  EXPECT_THAT(stuck(scenario(3, fmt::format(fmt::runtime(lines), "exited"))), ElementsAre(0, 1));
}

TEST(Run, PollingLoopAtTheEndIsAWaitAndAFailedPollInBetweenIsNot) {
  const auto spins = scenario(2, R"({"rank":0,"op":"irecv","peer":1,"request":1}
    {"rank":0,"op":"test","request":1,"flag":0,"polls":9}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"recv","peer":0}
    {"rank":1,"end":"running"})");
  const auto one = run(spins, kStrict);
  EXPECT_THAT(one.stuck, ElementsAre(0, 1));
  EXPECT_TRUE(one.waits[0].polls);
  const auto goes_on = scenario(2, R"({"rank":0,"op":"irecv","peer":1,"request":1}
    {"rank":0,"op":"test","request":1,"flag":0,"polls":9}
    {"rank":0,"op":"send","peer":1}
    {"rank":0,"op":"wait","request":1}
    {"rank":1,"op":"recv","peer":0}
    {"rank":1,"op":"send","peer":0})");
  EXPECT_THAT(stuck(goes_on), IsEmpty());
}

TEST(Run, WaitanyNeedsOneWaitallNeedsAll) {
  const char* lines = R"({{"rank":0,"op":"irecv","peer":1,"request":1}}
    {{"rank":0,"op":"irecv","peer":2,"request":2}}
    {{"rank":0,"op":"{}","requests":[1,2]}}
    {{"rank":0,"op":"send","peer":2}}
    {{"rank":0,"op":"wait","request":2}}
    {{"rank":1,"op":"send","peer":0}}
    {{"rank":2,"op":"recv","peer":0}}
    {{"rank":2,"op":"send","peer":0}})";
  EXPECT_THAT(stuck(scenario(3, fmt::format(fmt::runtime(lines), "waitany"))), IsEmpty());
  EXPECT_THAT(stuck(scenario(3, fmt::format(fmt::runtime(lines), "waitall"))), ElementsAre(0, 1, 2));
}

TEST(Run, FollowsTheRecordWhereTheStrictReadingIsBlocked) {
  const auto lucky = scenario(2, R"({"rank":0,"op":"send","peer":1,"state":"completed"}
    {"rank":0,"op":"recv","peer":1,"state":"completed"}
    {"rank":0,"op":"barrier","state":"started"}
    {"rank":0,"end":"running"}
    {"rank":1,"op":"send","peer":0,"state":"completed"}
    {"rank":1,"op":"recv","peer":0,"state":"completed"}
    {"rank":1,"op":"recv","peer":0,"state":"started"}
    {"rank":1,"end":"running"})");
  const auto one = run(lucky, kAsRecorded);
  EXPECT_TRUE(one.leaned_on_record);
  EXPECT_THAT(one.index, ElementsAre(2, 2));
  EXPECT_THAT(one.stuck, ElementsAre(0, 1));
  EXPECT_THAT(run(lucky, kStrict).index, ElementsAre(0, 0));
}

TEST(Run, TruncatedRecordsAlignByTheProducersPositions) {
  const char* lines = R"({{"rank":0,"op":"allreduce","coll_seq":90,"state":"completed"}}
    {{"rank":0,"op":"allreduce","coll_seq":91,"state":"started"}}
    {{"rank":0,"end":"running","dropped":90}}
    {{"rank":1,"op":"{}","coll_seq":91,"state":"started"}}
    {{"rank":1,"end":"running","dropped":91}})";
  EXPECT_THAT(stuck(scenario(2, fmt::format(fmt::runtime(lines), "barrier"))), ElementsAre(0, 1));
  EXPECT_THAT(stuck(scenario(2, fmt::format(fmt::runtime(lines), "allreduce"))), IsEmpty());
}

TEST(Run, PersistentRequestsStartAgainAndAgain) {
  const char* lines = R"({{"rank":0,"op":"send_init","peer":1,"request":1}}
    {{"rank":0,"op":"start","request":1}}
    {{"rank":0,"op":"wait","request":1}}
    {{"rank":0,"op":"start","request":1}}
    {{"rank":0,"op":"wait","request":1}}
    {{"rank":0,"op":"request_free","request":1}}
    {{"rank":1,"op":"recv","peer":0}}
    {{"rank":1,"op":"{}","peer":0}})";
  EXPECT_THAT(stuck(scenario(2, fmt::format(fmt::runtime(lines), "recv"))), IsEmpty());
  EXPECT_THAT(stuck(scenario(2, fmt::format(fmt::runtime(lines), "probe"))), ElementsAre(0, 1));
}

TEST(Run, EachStartOfAPersistentWildcardTakesWhatItsRecordSays) {
  const auto recorded = scenario(3, R"({"rank":0,"op":"recv_init","peer":"any","request":1}
    {"rank":0,"op":"start","matched":2,"request":1}
    {"rank":0,"op":"wait","request":1}
    {"rank":0,"op":"start","matched":1,"request":1}
    {"rank":0,"op":"wait","request":1}
    {"rank":1,"op":"send","peer":0}
    {"rank":2,"op":"send","peer":0}
    {"rank":2,"op":"barrier"}
    {"rank":0,"op":"barrier"}
    {"rank":1,"op":"barrier"})");
  const auto seen = run(recorded, kStrict);
  ASSERT_EQ(seen.messages.size(), 2u);
  EXPECT_EQ(seen.messages[0].send.rank, 2);
  EXPECT_EQ(seen.messages[1].send.rank, 1);
  EXPECT_THAT(seen.choices, IsEmpty());
}

TEST(Run, MatchedProbeTakesItsMessageOffTheQueue) {
  const auto probed = scenario(2, R"({"rank":0,"op":"send","peer":1,"tag":1}
    {"rank":0,"op":"send","peer":1,"tag":1}
    {"rank":1,"op":"mprobe","peer":"any","tag":"any","message":1}
    {"rank":1,"op":"recv","peer":0,"tag":1}
    {"rank":1,"op":"mrecv","message":1})");
  EXPECT_THAT(stuck(probed, kBuffered), IsEmpty());
  EXPECT_THAT(stuck(probed), ElementsAre(0, 1));  // the first send may wait for its mrecv: corners_test.cpp
}

TEST(Run, CancelledReceiveCompletesWithoutAMessage) {
  const auto cancelled = scenario(2, R"({"rank":0,"op":"irecv","peer":1,"request":1}
    {"rank":0,"op":"cancel","request":1}
    {"rank":0,"op":"wait","request":1})");
  EXPECT_THAT(stuck(cancelled), IsEmpty());
}

TEST(Run, MembersComeFromTheCreationWhereNothingDeclaresThem) {
  const auto split = scenario(4, R"({"rank":0,"op":"comm_split","color":0,"key":1,"new":"low"}
    {"rank":1,"op":"comm_split","color":0,"key":0,"new":"low"}
    {"rank":2,"op":"comm_split","color":1,"new":"high"}
    {"rank":3,"op":"comm_split","color":1,"new":"high"}
    {"rank":0,"op":"recv","comm":"low","peer":0}
    {"rank":1,"op":"send","comm":"low","peer":1}
    {"rank":2,"op":"barrier","comm":"high"})");
  EXPECT_THAT(stuck(split), ElementsAre(0, 1, 2, 3));  // rank 3 left out the barrier; all wait in finalize
  EXPECT_EQ(run(split, kStrict).index[0], 2u);
}

TEST(Run, CallsOnACommunicatorOfUnknownMembersAreNotJudged) {
  const auto unknown = scenario(2, R"({"comm":"inter","ranks":"unknown"}
    {"rank":0,"op":"send","comm":"inter","peer":0}
    {"rank":1,"op":"recv","comm":"inter","peer":0})");
  const auto one = run(unknown, kStrict);
  EXPECT_THAT(one.stuck, IsEmpty());
  EXPECT_EQ(one.unmodelled.size(), 2u);
}

TEST(Run, GroupCreationMeetsByItsGroup) {
  const auto disjoint = scenario(4, R"({"rank":0,"op":"comm_create_group","ranks":[0,3],"new":"a"}
    {"rank":3,"op":"comm_create_group","ranks":[0,3],"new":"a"}
    {"rank":1,"op":"comm_create_group","ranks":[1,2],"new":"b"}
    {"rank":2,"op":"comm_create_group","ranks":[1,2],"new":"b"})");
  EXPECT_THAT(stuck(disjoint), IsEmpty());
}

TEST(Explore, VisitsEveryOrderOfFreeWildcards) {
  const auto farm = scenario(4, R"({"rank":0,"op":"recv","peer":"any"}
    {"rank":0,"op":"recv","peer":"any"}
    {"rank":0,"op":"recv","peer":"any"}
    {"rank":1,"op":"send","peer":0}
    {"rank":2,"op":"send","peer":0}
    {"rank":3,"op":"send","peer":0})");
  std::set<std::vector<std::int32_t>> orders;
  const auto seen = explore(farm, kStrict, 100, [&](const auto& one) {
    std::vector<std::int32_t> order;
    for (const Message& message : one.messages) order.push_back(message.send.rank);
    orders.insert(order);
    return true;
  });
  EXPECT_EQ(seen.orders, 6u);
  EXPECT_TRUE(seen.complete);
  EXPECT_EQ(orders.size(), 6u);
  EXPECT_FALSE(explore(farm, kStrict, 3, [](const auto&) { return true; }).complete);
}

TEST(Explore, RecordedMatchesLeaveNoChoice) {
  const auto farm = scenario(3, R"({"rank":0,"op":"recv","peer":"any","matched":2}
    {"rank":0,"op":"recv","peer":"any","matched":1}
    {"rank":1,"op":"send","peer":0}
    {"rank":2,"op":"send","peer":0})");
  const auto one = run(farm, kStrict);
  EXPECT_TRUE(one.choices.empty());
  ASSERT_EQ(one.wildcards.size(), 2u);
  EXPECT_EQ(one.wildcards[0].candidates.size(), 2u);
  EXPECT_EQ(one.wildcards[0].candidates[one.wildcards[0].chosen].rank, 2);
}

}  // namespace
}  // namespace petri::model
