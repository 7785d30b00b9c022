#include "harness/worker/plan/account.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "harness/trace/read.hpp"

namespace petri {
namespace {

Scenario scenario_of(const std::string& lines) {
  std::istringstream in(lines);
  return read_scenario(in, "test");
}

const std::string kHeader = R"({"petri":1,"job":"j","world":1})"
                            "\n";

TEST(Account, SkipsWhatTheReplayDidBeforeTheFirstEvent) {
  const Scenario scenario = scenario_of(kHeader + R"({"rank":0,"seq":40,"op":"barrier","site":"a.cpp:7","step":3}
{"end":true,"events":1}
)");
  const Scenario recording = scenario_of(kHeader + R"({"rank":0,"op":"init","state":"completed"}
{"rank":0,"op":"comm_create_group","ranks":[0],"state":"completed"}
{"rank":0,"op":"barrier","state":"started","site":"collective.cpp:1"}
{"rank":0,"end":"running"}
{"end":true,"events":3}
)");
  const Scenario account = account_of(scenario, recording, {{{2}}, {false}});
  ASSERT_EQ(account.ranks[0].events.size(), 1u);
  const Event& event = account.ranks[0].events[0];
  EXPECT_EQ(event.state, EventState::started);
  EXPECT_EQ(event.seq, 40u);
  EXPECT_EQ(event.step, 3);
  EXPECT_EQ(account.site_of(event), "a.cpp:7");
  EXPECT_EQ(account.ranks[0].end.kind, EndKind::running);
}

TEST(Account, EndsWhereTheReplayStands) {
  const Scenario scenario = scenario_of(kHeader + R"({"rank":0,"op":"barrier"}
{"rank":0,"op":"compute"}
{"rank":0,"op":"barrier"}
{"rank":0,"op":"barrier"}
{"end":true,"events":4}
)");
  const Scenario recording = scenario_of(kHeader + R"({"rank":0,"op":"barrier","state":"completed"}
{"rank":0,"op":"barrier","state":"started"}
{"rank":0,"end":"running"}
{"end":true,"events":2}
)");
  const ReplayState state{{{0, 1, 1}}, {false}};
  const Scenario account = account_of(scenario, recording, state);
  ASSERT_EQ(account.ranks[0].events.size(), 3u);
  EXPECT_EQ(account.ranks[0].events[1].state, EventState::completed);
  EXPECT_EQ(account.ranks[0].events[2].state, EventState::started);
  const Scenario whole = account_with_rest(scenario, recording, state);
  ASSERT_EQ(whole.ranks[0].events.size(), 4u);
  EXPECT_EQ(whole.ranks[0].events[3].state, EventState::scheduled);
  EXPECT_EQ(account.ranks[0].end.kind, EndKind::running);
  EXPECT_EQ(whole.ranks[0].end.kind, EndKind::finalized);  // it was only stopped on its way there
}

// It has logged its end, and idles where its record ends.
TEST(Account, ARankStaysInTheSleepInWhichItsRecordEnds) {
  const Scenario scenario = scenario_of(kHeader + R"({"rank":0,"op":"compute","state":"completed"}
{"rank":0,"op":"sleep","state":"started"}
{"rank":0,"end":"running"}
{"end":true,"events":2}
)");
  const Scenario recording = scenario_of(kHeader + R"({"rank":0,"op":"init","state":"completed"}
{"rank":0,"end":"running"}
{"end":true,"events":1}
)");
  const Scenario account = account_of(scenario, recording, {{{1, 1, 1}}, {true}});
  ASSERT_EQ(account.ranks[0].events.size(), 2u);
  EXPECT_EQ(account.ranks[0].events[0].state, EventState::completed);
  EXPECT_EQ(account.ranks[0].events[1].state, EventState::started);
}

TEST(Account, TakesMatchesFromTheReplayAndArgumentsFromTheScenario) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":3}
{"rank":0,"op":"recv","peer":"any","matched":1}
{"end":true,"events":1}
)");
  const Scenario recording = scenario_of(R"({"petri":1,"job":"j","world":3}
{"rank":0,"op":"recv","peer":"any","count":262144,"dtype":"int32","matched":2,"state":"completed"}
{"end":true,"events":1}
)");
  const Event event = account_of(scenario, recording, {{{0, 1}, {}, {}}, {false, false, false}}).ranks[0].events.at(0);
  EXPECT_EQ(event.extras.matched(), 2);
  EXPECT_EQ(event.count, kUnknownCount);
}

TEST(Account, HasNoOrdersSinceTheLibrarySummedInItsOwn) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"allreduce","count":1,"dtype":"float32","reduce":"sum","orders":["own-first"],"values":[1]}
{"end":true,"events":1}
)");
  const Scenario recording = scenario_of(R"({"petri":1,"job":"j","world":1}
{"rank":0,"op":"allreduce","count":1,"dtype":"float32","reduce":"sum","state":"completed"}
{"end":true,"events":1}
)");
  const Event event = account_of(scenario, recording, {{{0, 1}}, {false}}).ranks[0].events.at(0);
  EXPECT_TRUE(event.extras.orders().empty());
  EXPECT_EQ(event.extras.values(), std::vector<double>{1});
}

TEST(Account, KeepsTheMatchThatAReplayWasForcedTo) {
  const Scenario scenario = scenario_of(R"({"petri":1,"job":"j","world":3}
{"rank":0,"op":"recv","peer":"any","matched":1}
{"rank":0,"op":"recv","peer":"any","matched":2}
{"end":true,"events":2}
)");
  const Scenario recording = scenario_of(R"({"petri":1,"job":"j","world":3}
{"rank":0,"op":"recv","peer":1,"state":"completed"}
{"rank":0,"op":"recv","peer":2,"state":"started"}
{"rank":0,"end":"running"}
{"end":true,"events":2}
)");
  const Scenario account = account_of(scenario, recording, {{{0, 1}, {}, {}}, {false, false, false}});
  EXPECT_EQ(account.ranks[0].events.at(0).extras.matched(), 1);
  EXPECT_EQ(account.ranks[0].events.at(1).extras.matched(), kUnset);
  EXPECT_EQ(account.ranks[0].events.at(1).peer, kAny);
}

// The recorder leaves requests that are no longer active out of its list, and counts requests in its own way.
TEST(Account, NamesTheRequestsThatACallCompletedByTheirPlaceInTheScenario) {
  const Scenario scenario = scenario_of(kHeader + R"({"rank":0,"op":"irecv","peer":0,"request":1}
{"rank":0,"op":"irecv","peer":0,"request":3}
{"rank":0,"op":"waitany","requests":[1,3]}
{"rank":0,"op":"waitany","requests":[1,3]}
{"rank":0,"op":"waitsome","requests":[1,3]}
{"end":true,"events":5}
)");
  const Scenario recording = scenario_of(kHeader + R"({"rank":0,"op":"irecv","peer":0,"request":7,"state":"completed"}
{"rank":0,"op":"irecv","peer":0,"request":8,"state":"completed"}
{"rank":0,"op":"waitany","requests":[7,8],"index":0,"state":"completed"}
{"rank":0,"op":"waitany","requests":[8],"index":0,"state":"completed"}
{"rank":0,"op":"waitsome","requests":[8],"indices":[0],"state":"completed"}
{"rank":0,"end":"finalized"}
{"end":true,"events":5}
)");
  const std::vector<Event> events = account_of(scenario, recording, {{{0, 1, 2, 3, 4, 5}}, {false}}).ranks[0].events;
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[2].extras.index(), 0);
  EXPECT_EQ(events[3].extras.index(), 1);
  EXPECT_EQ(events[4].extras.indices().vector(), std::vector<std::uint32_t>{1});
}

TEST(Account, AnIdleRankEndsAsItsRecordDoes) {
  const Scenario scenario = scenario_of(kHeader + R"({"rank":0,"op":"barrier"}
{"rank":0,"end":"cut","dropped":7}
{"end":true,"events":1}
)");
  const Scenario recording = scenario_of(kHeader + R"({"rank":0,"op":"barrier","state":"completed"}
{"rank":0,"end":"exited"}
{"end":true,"events":1}
)");
  const Scenario account = account_of(scenario, recording, {{{0, 1}}, {true}});
  EXPECT_EQ(account.ranks[0].end.kind, EndKind::cut);
  EXPECT_EQ(account.ranks[0].end.dropped, 7u);
}

TEST(Account, ShowsARankThatIsStuckInItsImpliedFinalize) {
  const Scenario scenario = scenario_of(kHeader + R"({"rank":0,"op":"barrier"}
{"end":true,"events":1}
)");
  const Scenario recording = scenario_of(kHeader + R"({"rank":0,"op":"barrier","state":"completed"}
{"rank":0,"op":"finalize","state":"started"}
{"rank":0,"end":"running"}
{"end":true,"events":2}
)");
  const Scenario account = account_of(scenario, recording, {{{0, 1}}, {false}});
  ASSERT_EQ(account.ranks[0].events.size(), 2u);
  EXPECT_EQ(account.ranks[0].events[1].op, Op::finalize);
  EXPECT_EQ(account.ranks[0].events[1].seq, 1u);
}

TEST(Account, APollLoopAndItsSuccessAreOneEventWhereTheScenarioHasOne) {
  const Scenario scenario = scenario_of(kHeader + R"({"rank":0,"seq":6,"op":"test","request":4,"flag":1}
{"rank":0,"seq":7,"op":"barrier"}
{"end":true,"events":2}
)");
  const Scenario recording =
      scenario_of(kHeader + R"({"rank":0,"op":"test","request":0,"flag":0,"polls":9,"state":"completed"}
{"rank":0,"op":"test","request":0,"flag":1,"state":"completed"}
{"rank":0,"op":"barrier","state":"completed"}
{"end":true,"events":3}
)");
  const Scenario account = account_of(scenario, recording, {{{0, 2, 3}}, {false}});
  ASSERT_EQ(account.ranks[0].events.size(), 2u);
  EXPECT_EQ(account.ranks[0].events[0].flag, 1);
  EXPECT_EQ(account.ranks[0].events[1].op, Op::barrier);
}

TEST(Account, IsSettledWhenEachRankWaitsOrRests) {
  const Scenario recording = scenario_of(R"({"petri":1,"job":"j","world":2}
{"rank":0,"op":"barrier","state":"started"}
{"rank":1,"op":"barrier","state":"completed"}
{"end":true,"events":2}
)");
  EXPECT_FALSE((ReplayState{{{0}, {0}}, {false, false}}.settled(recording, recording)));
  EXPECT_TRUE((ReplayState{{{0}, {0}}, {false, true}}.settled(recording, recording)));
}

TEST(Account, IsNotSettledWhileRanksStartUpOrLeave) {
  const Scenario starting = scenario_of(R"({"petri":1,"job":"j","world":2}
{"rank":0,"op":"init","state":"started"}
{"rank":1,"op":"init","state":"completed"}
{"rank":1,"op":"comm_create_group","ranks":[0,1],"new":"c","state":"started"}
{"end":true,"events":3}
)");
  EXPECT_FALSE((ReplayState{{{}, {}}, {false, false}}.settled(starting, starting)));
  const Scenario leaving = scenario_of(R"({"petri":1,"job":"j","world":2}
{"rank":0,"op":"finalize","state":"started"}
{"rank":1,"op":"finalize","state":"started"}
{"end":true,"events":2}
)");
  EXPECT_FALSE((ReplayState{{{0}, {0}}, {false, false}}.settled(leaving, leaving)));
  EXPECT_TRUE((ReplayState{{{0}, {0}}, {false, true}}.settled(leaving, leaving)));
}

}  // namespace
}  // namespace petri
