// Repair of windows, topologies and intercommunicators: what is left is a legal program again.
#include <gmock/gmock.h>

#include "reducers/groups.hpp"
#include "reducers/repair.hpp"
#include "tests/support/script.hpp"

namespace petri::reduce {
namespace {

using petri::test::script;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Scenario without_rank(const Scenario& base, std::size_t rank) {
  Selection keep = Selection::all(base);
  keep.ranks[rank] = 0;
  return *cut(base, keep);
}

const Event& event_of(const Scenario& scenario, std::size_t rank, std::size_t index) {
  return scenario.ranks.at(rank).events.at(index);
}

TEST(RepairWindows, AStartThatMeetsNobodyGoesWithItsComplete) {
  const Scenario job =
      script({"win_start(win=w ranks=[1]); win_complete(win=w); win_start(win=w ranks=[1,2]); win_complete(win=w)",
              "win_post(win=w ranks=[0]); win_wait(win=w); win_post(win=w ranks=[0]); win_wait(win=w)",
              "win_post(win=w ranks=[0]); win_wait(win=w)"});
  const Scenario left = without_rank(job, 1);
  ASSERT_EQ(left.ranks[0].events.size(), 2u);
  EXPECT_THAT(event_of(left, 0, 0).extras.ranks(), ElementsAre(1));
}

TEST(RepairWindows, AnEpochOfAnEarlierWindowIsNoneOfALaterOne) {
  const Scenario job = script({"win_post(win=w ranks=[1]); win_create(win=w); win_wait(win=w)", ""});
  Selection keep = Selection::all(job);
  keep.drop({0, 0});
  EXPECT_EQ(cut(job, keep)->ranks[0].events.size(), 2u);
}

TEST(RepairWindows, LocksAtADroppedTargetGo) {
  const Scenario job =
      script({"win_lock(win=w target=1 lock=shared); put(win=w target=1); win_unlock(win=w target=1); "
              "win_lock(win=w target=2 lock=shared); win_unlock(win=w target=2)",
              "", ""});
  const Scenario left = without_rank(job, 1);
  ASSERT_EQ(left.ranks[0].events.size(), 2u);
  EXPECT_EQ(event_of(left, 0, 0).extras.target(), 1);
}

TEST(RepairTopologies, CountsFollowTheNeighboursThatAreLeft) {
  const Scenario job =
      script({"cart_create(new=t dims=[3] periods=[1] sources=[2,1] destinations=[2,1]); neighbor_alltoallv(comm=t "
              "sendcounts=[5,6] recvcounts=[7,8])",
              "cart_create(new=t dims=[3] periods=[1] sources=[0,2] destinations=[0,2]); neighbor_alltoallv(comm=t)",
              "cart_create(new=t dims=[3] periods=[1] sources=[1,0] destinations=[1,0]); neighbor_alltoallv(comm=t)"},
             R"({"comm":"t","ranks":[0,1,2]})");
  const Scenario left = without_rank(job, 1);
  EXPECT_THAT(event_of(left, 0, 0).extras.sources(), ElementsAre(1));
  EXPECT_THAT(event_of(left, 0, 0).extras.dims(), IsEmpty());
  EXPECT_THAT(event_of(left, 0, 1).extras.sendcounts(), ElementsAre(5));
  EXPECT_THAT(event_of(left, 0, 1).extras.recvcounts(), ElementsAre(7));
}

constexpr const char* kGroups = R"({"comm":"l","ranks":[0,1]}
{"comm":"r","ranks":[2,3]}
{"comm":"i","ranks":[0,1],"remote":[2,3]})";

TEST(RepairIntercommunicators, ALeaderIsSucceededOnBothSides) {
  const std::string left_calls = "intercomm_create(comm=l root=0 remote=world peer=2 new=i); bcast(comm=i root=";
  const std::string right_calls = "intercomm_create(comm=r root=0 remote=world peer=0 new=i); bcast(comm=i root=";
  const Scenario job =
      script({left_calls + "root)", left_calls + "null)", right_calls + "0)", right_calls + "0)"}, kGroups);
  const Scenario left = without_rank(job, 0);
  EXPECT_THAT(left.comms[static_cast<std::size_t>(left.find_comm("i"))].ranks, ElementsAre(0));
  EXPECT_THAT(left.comms[static_cast<std::size_t>(left.find_comm("i"))].remote, ElementsAre(1, 2));
  EXPECT_EQ(event_of(left, 0, 1).root, kRootHere);
  EXPECT_EQ(event_of(left, 1, 0).peer, 0);  // the new rank of the old rank 1
  EXPECT_EQ(event_of(left, 1, 1).root, 0);
}

TEST(RepairIntercommunicators, OneWithoutAGroupIsGone) {
  const Scenario job =
      script({"send(comm=i peer=0)", "barrier", "recv(comm=i peer=0)"}, R"({"comm":"i","ranks":[0],"remote":[2]})");
  const Scenario left = without_rank(job, 2);
  EXPECT_THAT(left.ranks[0].events, IsEmpty());
}

TEST(GroupsOfEpochs, HoldALockWithItsAccessesAndItsUnlock) {
  const Scenario job =
      script({"win_lock(win=w target=0 lock=shared); put(win=w target=0); win_unlock(win=w target=0); barrier"});
  const Groups groups = group_events(job);
  EXPECT_EQ(groups.of({0, 0}), groups.of({0, 1}));
  EXPECT_EQ(groups.of({0, 0}), groups.of({0, 2}));
  EXPECT_NE(groups.of({0, 0}), groups.of({0, 3}));
}

TEST(GroupsOfEpochs, HoldAStartWithThePostsThatItMeets) {
  const Scenario job =
      script({"win_start(win=w ranks=[1]); win_complete(win=w); win_start(win=w ranks=[1]); win_complete(win=w)",
              "win_post(win=w ranks=[0]); win_wait(win=w); win_post(win=w ranks=[0]); win_wait(win=w)"});
  const Groups groups = group_events(job);
  EXPECT_EQ(groups.of({0, 0}), groups.of({1, 1}));
  EXPECT_EQ(groups.of({0, 2}), groups.of({1, 2}));
  EXPECT_NE(groups.of({0, 0}), groups.of({0, 2}));
}

}  // namespace
}  // namespace petri::reduce
