#include "reducers/groups.hpp"

#include <gmock/gmock.h>

#include "reducers/roles.hpp"
#include "reducers/segments.hpp"
#include "tests/reducers/build.hpp"

namespace petri::reduce {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(Groups, CollectivesJoinByPositionWhateverTheirName) {
  Scenario job(2);
  add(job, 0, collective(Op::allreduce));
  add(job, 0, collective(Op::barrier));
  add(job, 1, collective(Op::barrier));
  const Groups groups = group_events(job);
  EXPECT_EQ(groups.of({0, 0}), groups.of({1, 0}));
  EXPECT_NE(groups.of({0, 1}), groups.of({1, 0}));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups.members(0), ElementsAre(EventRef{0, 0}, EventRef{1, 0}));
  EXPECT_THAT(groups.members(1), ElementsAre(EventRef{0, 1}));
}

TEST(Groups, MessagesPairInOrderByTagAndTakeTheirWaitsAlong) {
  Scenario job(2);
  add(job, 0, message(Op::isend, 1, 5, 1));
  add(job, 0, message(Op::send, 1, 6));
  add(job, 0, wait_for(1));
  add(job, 1, message(Op::recv, 0, 6));
  add(job, 1, message(Op::recv, 0, kAny));
  const Groups groups = group_events(job);
  EXPECT_EQ(groups.of({1, 0}), groups.of({0, 1}));
  EXPECT_EQ(groups.of({1, 1}), groups.of({0, 0}));
  EXPECT_EQ(groups.of({0, 2}), groups.of({0, 0}));
  EXPECT_EQ(groups.size(), 2U);
}

TEST(Groups, AReceiveOfAnySourceJoinsTheSenderThatItGot) {
  Scenario job(3);
  add(job, 1, message(Op::send, 0));
  add(job, 2, message(Op::send, 0));
  Event any = message(Op::recv, kAny);
  any.extras.set_matched(2);
  add(job, 0, any);
  add(job, 0, message(Op::recv, kAny));
  const Groups groups = group_events(job);
  EXPECT_EQ(groups.of({0, 0}), groups.of({2, 0}));
  EXPECT_EQ(groups.members(groups.of({0, 1})).size(), 1U);
  EXPECT_EQ(groups.members(groups.of({1, 0})).size(), 1U);
}

TEST(Roles, RanksOfARingAreAllAlike) {
  for (const auto& roles : find_roles(ring_job(64), 3)) EXPECT_THAT(roles, ::testing::Each(0U));
}

TEST(Roles, TheCulpritAmongEqualRanksIsAlone) {
  const auto roles = find_roles(data_parallel_job(), 0);
  for (std::size_t rank = 0; rank < 16; ++rank) EXPECT_EQ(roles[0][rank], rank == 11 ? 1U : 0U);
}

TEST(Roles, MoreRoundsTellTheStagesOfAPipelineApart) {
  Scenario job(6);
  for (std::int32_t rank = 0; rank < 6; ++rank) {
    if (rank > 0) add(job, rank, message(Op::recv, rank - 1));
    if (rank < 5) add(job, rank, message(Op::send, rank + 1));
  }
  const auto roles = find_roles(job, 2);
  EXPECT_THAT(roles[0], ElementsAre(0, 1, 1, 1, 1, 2));
  EXPECT_THAT(roles[2], ElementsAre(0, 1, 2, 2, 3, 4));
  EXPECT_THAT(roles[4], ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Roles, HowOftenALoopRunsMattersInTheFinerPartitionOnly) {
  Scenario job(5);
  for (std::int32_t rank = 0; rank < 5; ++rank) {
    for (std::int32_t step = 0; step < (rank == 3 ? 1001 : 1000); ++step) {
      add(job, rank, message(Op::send, (rank + 1) % 5));
      for (std::int32_t i = 0; i < 2 + rank % 2; ++i) add(job, rank, collective(Op::allreduce));
    }
    if (rank == 4) add(job, rank, collective(Op::barrier));
  }
  const auto roles = find_roles(job, 0);
  EXPECT_THAT(roles, ElementsAre(ElementsAre(0, 0, 0, 0, 1), ElementsAre(0, 1, 0, 2, 3)));
}

TEST(Roles, AWorkerWithFewerTasksIsAWorker) {
  Scenario job(9);
  for (std::int32_t task = 0; task < 100; ++task) {
    const std::int32_t worker = 1 + (task < 50 ? task % 3 : task % 8);
    add(job, 0, message(Op::send, worker));
    add(job, worker, message(Op::recv, 0));
    add(job, worker, message(Op::send, 0));
    add(job, 0, message(Op::recv, kAny));
  }
  const auto roles = find_roles(job, 1);
  for (const std::size_t coarse : {0U, 2U}) EXPECT_THAT(roles[coarse], ElementsAre(0, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(roles[1][1], roles[1][2]);
  EXPECT_NE(roles[1][1], roles[1][8]);
}

TEST(Segments, RepetitionsAreCountedAlikeOnAllRanks) {
  Scenario job = data_parallel_job(3, 5, 1);
  const auto segments = find_segments(job);
  // Both allreduces are one call as far as names go, so the barrier delimits: four whole repetitions lie behind it.
  EXPECT_THAT(segments[0], ElementsAre(-1, -1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4));
  EXPECT_EQ(segments[1].back(), 5);
}

TEST(Segments, WithoutRepetitionThereAreNone) {
  const auto segments = find_segments(ring_job(4));
  for (const auto& rank : segments) EXPECT_THAT(rank, ::testing::Each(kNoSegment));
}

}  // namespace
}  // namespace petri::reduce
