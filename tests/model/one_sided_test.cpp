// Windows: who waits for whom (MPI 4.1, section 12.5).
#include <gmock/gmock.h>

#include "harness/model/explore.hpp"
#include "tests/model/stuck.hpp"
#include "tests/support/script.hpp"

namespace petri::model {
namespace {

using test::script;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Fence, IsCollectiveOnItsWindow) {
  EXPECT_THAT(stuck(script({"win_create(win=w); win_fence(win=w); put(win=w target=1); win_fence(win=w)",
                            "win_create(win=w); win_fence(win=w); win_fence(win=w)"})),
              IsEmpty());
  EXPECT_THAT(
      stuck(script({"win_create(win=w); win_fence(win=w); win_fence(win=w)", "win_create(win=w); win_fence(win=w)"})),
      ElementsAre(0, 1));
}

TEST(Fence, OfTwoWindowsMayComeInAnyOrderOnlyIfTheyAreNotCrossed) {
  const auto crossed = script({"win_create(win=v); win_create(win=w); win_fence(win=v); win_fence(win=w)",
                               "win_create(win=v); win_create(win=w); win_fence(win=w); win_fence(win=v)"});
  EXPECT_THAT(stuck(crossed), ElementsAre(0, 1));
}

TEST(Fence, WithoutPrecedingEpochNeedNotSynchronize) {
  const auto scenario =
      script({"win_fence(win=w assert=noprecede); send(peer=1)", "recv(peer=0); win_fence(win=w assert=noprecede)"});
  EXPECT_THAT(stuck(scenario), ElementsAre(0, 1));
  EXPECT_THAT(stuck(scenario, kBuffered), IsEmpty());
}

TEST(PostStart, MeetsByOrderOfBothSides) {
  EXPECT_THAT(stuck(script({"win_start(win=w ranks=[1]); put(win=w target=1); win_complete(win=w)",
                            "win_post(win=w ranks=[0]); win_wait(win=w)"})),
              IsEmpty());
  EXPECT_THAT(stuck(script({"win_start(win=w ranks=[1]); win_complete(win=w)", "barrier"})), ElementsAre(0, 1));
  EXPECT_THAT(stuck(script({"barrier", "win_post(win=w ranks=[0]); win_wait(win=w); barrier"})), ElementsAre(0, 1));
}

TEST(PostStart, TwoOriginsThatStartAtEachOtherBlockOnlyWhereStartDoes) {
  const auto both =
      script({"win_start(win=w ranks=[1]); win_post(win=w ranks=[1]); win_complete(win=w); win_wait(win=w)",
              "win_start(win=w ranks=[0]); win_post(win=w ranks=[0]); win_complete(win=w); win_wait(win=w)"});
  EXPECT_THAT(stuck(both), ElementsAre(0, 1));
  EXPECT_THAT(stuck(both, kBuffered), IsEmpty());
}

TEST(PostStart, ASecondEpochNeedsASecondPost) {
  const auto once =
      script({"win_start(win=w ranks=[1]); win_complete(win=w); win_start(win=w ranks=[1]); win_complete(win=w)",
              "win_post(win=w ranks=[0]); win_wait(win=w)"});
  EXPECT_THAT(stuck(once), ElementsAre(0, 1));
}

TEST(Lock, HeldAcrossABarrierBlocksWhoWantsItBeforeTheBarrier) {
  const auto c19 = script(
      {"win_lock(win=w target=0 lock=exclusive); barrier; barrier; win_unlock(win=w target=0)",
       "barrier; win_lock(win=w target=0 lock=exclusive); put(win=w target=0); barrier; win_unlock(win=w target=0)"});
  EXPECT_THAT(stuck(c19), ElementsAre(0, 1));
  const auto shared = script(
      {"win_lock(win=w target=0 lock=shared); barrier; barrier; win_unlock(win=w target=0)",
       "barrier; win_lock(win=w target=0 lock=shared); put(win=w target=0); barrier; win_unlock(win=w target=0)"});
  EXPECT_THAT(stuck(shared), IsEmpty());
}

TEST(Lock, WaitsForItsHolder) {
  const model::Run blocked =
      run(script({"win_lock(win=w target=1 lock=exclusive); recv(peer=1)",
                  "win_lock(win=w target=1 lock=exclusive); send(peer=0); win_unlock(win=w target=1)"}),
          kStrict);
  ASSERT_THAT(blocked.stuck, ElementsAre(0, 1));
  EXPECT_EQ(blocked.waits[1].atoms.front().kind, Atom::lock);
  EXPECT_EQ(blocked.waits[1].atoms.front().peer, 0);
}

TEST(Lock, LockAllExcludesExclusiveOnes) {
  EXPECT_THAT(stuck(script({"win_lock_all(win=w); barrier; barrier; win_unlock_all(win=w)",
                            "barrier; win_lock(win=w target=1 lock=exclusive); barrier; win_unlock(win=w target=1)"})),
              ElementsAre(0, 1));
}

TEST(Lock, OppositeOrdersBlockInSomeOrdersOfGrants) {
  const auto philosophers =
      script({"win_lock(win=w target=0 lock=exclusive); win_lock(win=w target=1 lock=exclusive); win_unlock(win=w "
              "target=1); win_unlock(win=w target=0)",
              "win_lock(win=w target=1 lock=exclusive); win_lock(win=w target=0 lock=exclusive); win_unlock(win=w "
              "target=0); win_unlock(win=w target=1)"});
  std::size_t blocked = 0, free = 0;
  const auto seen = explore(philosophers, kStrict, 100,
                            [&](const model::Run& one) { return ++(one.stuck.empty() ? free : blocked), true; });
  EXPECT_TRUE(seen.complete);
  EXPECT_EQ(blocked, 1u);
  EXPECT_EQ(free, 2u);
}

TEST(Lock, GrantsThatDoNotContendAreExploredOnce) {
  std::vector<std::string> calls(4);
  for (int rank = 0; rank < 4; ++rank)
    calls[static_cast<std::size_t>(rank)] =
        fmt::format("win_lock(win=w target={0} lock=exclusive); win_unlock(win=w target={0})", rank);
  const auto seen = explore(script(calls), kStrict, 1000, [](const model::Run&) { return true; });
  EXPECT_TRUE(seen.complete);
  EXPECT_EQ(seen.orders, 1u);
}

TEST(Lock, LoopsOfLocksThatAreGivenBackHaveOneOrder) {
  std::string calls;
  for (int round = 0; round < 50; ++round)
    calls +=
        "win_lock(win=w target=0 lock=exclusive); put(win=w target=0); win_flush(win=w target=0); win_unlock(win=w "
        "target=0); ";
  const auto seen = explore(script({calls, calls, calls, calls}), kStrict, 10,
                            [](const model::Run& one) { return one.stuck.empty(); });
  EXPECT_TRUE(seen.complete);
  EXPECT_EQ(seen.orders, 1u);
}

TEST(Lock, BufferedOnlyUnlockAndFlushBlock) {
  const auto scenario =
      script({"win_lock(win=w target=1 lock=exclusive); barrier; recv(peer=1); win_unlock(win=w target=1)",
              "barrier; win_lock(win=w target=1 lock=exclusive); send(peer=0); win_unlock(win=w target=1)"});
  EXPECT_THAT(stuck(scenario), ElementsAre(0, 1));
  EXPECT_THAT(stuck(scenario, kBuffered), IsEmpty());
}

TEST(Lock, ARequestOfAnAccessCompletesWhenTheLockIsGranted) {
  const auto scenario =
      script({"win_lock(win=w target=0 lock=exclusive); barrier; recv(peer=1); win_unlock(win=w target=0)",
              "barrier; win_lock(win=w target=0 lock=exclusive); rput(win=w target=0 request=1); wait(request=1); "
              "send(peer=0); win_unlock(win=w target=0)"});
  EXPECT_THAT(stuck(scenario, kBuffered), ElementsAre(0, 1));
}

}  // namespace
}  // namespace petri::model
