#include "reducers/plain_tags.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "reducers/passes.hpp"
#include "tests/reducers/build.hpp"

namespace petri::reduce {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::Eq;

constexpr std::int32_t kWorld = 6;

// `tag` is that of the message from one rank to another.
template <class Tag>
Scenario ring(Tag tag) {
  Scenario job(kWorld);
  for (std::int32_t rank = 0; rank < kWorld; ++rank) {
    const std::int32_t before = (rank + kWorld - 1) % kWorld, after = (rank + 1) % kWorld;
    add(job, rank, message(Op::recv, before, tag(before, rank)));
    add(job, rank, message(Op::send, after, tag(rank, after)));
  }
  return job;
}

std::vector<std::int32_t> all_tags(const Scenario& scenario) {
  std::vector<std::int32_t> tags;
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& made : rank.events) tags.push_back(made.tag);
  return tags;
}

TEST(PlainTags, TheSendersNumberGoes) {
  const auto plain = with_plain_tags(ring([](auto from, auto) { return 40 + from; }));
  ASSERT_TRUE(plain);
  EXPECT_THAT(all_tags(*plain), Each(Eq(40)));
}

TEST(PlainTags, TheReceiversNumberGoes) {
  const auto plain = with_plain_tags(ring([](auto, auto to) { return 40 + to; }));
  ASSERT_TRUE(plain);
  EXPECT_THAT(all_tags(*plain), Each(Eq(40)));
}

TEST(PlainTags, ATagThatRanksHaveInCommonStays) {
  EXPECT_FALSE(with_plain_tags(ring([](auto, auto) { return 3; })));
  EXPECT_FALSE(with_plain_tags(ring([](auto from, auto) { return from % 2; })));
}

TEST(PlainTags, OneThatFollowsNoRuleStays) {
  Scenario job = ring([](auto from, auto) { return from; });
  job.ranks[2].events[1].tag = 9;
  const auto plain = with_plain_tags(job);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->ranks[2].events[1].tag, 9);
  EXPECT_EQ(plain->ranks[3].events[0].tag, 0);  // what the receiver expects follows it
}

TEST(PlainTags, GroupRanksCountOnACommunicator) {
  Scenario job(kWorld + 1);
  const std::int32_t comm = add_comm(job, "odd", {6, 5, 4, 3, 2, 1});
  for (std::int32_t member = 0; member < kWorld; ++member) {
    Event both = on(event(Op::sendrecv), comm);
    both.extras.set_sendpeer((member + 1) % kWorld);
    both.extras.set_recvpeer((member + kWorld - 1) % kWorld);
    both.extras.set_sendtag(member);
    both.extras.set_recvtag((member + kWorld - 1) % kWorld);
    add(job, 6 - member, both);
  }
  const auto plain = with_plain_tags(job);
  ASSERT_TRUE(plain);
  for (std::size_t rank = 1; rank < plain->ranks.size(); ++rank) {
    EXPECT_EQ(plain->ranks[rank].events[0].extras.sendtag(), 0);
    EXPECT_EQ(plain->ranks[rank].events[0].extras.recvtag(), 0);
  }
}

// The halves of a sendrecv may name different ranks.
TEST(PlainTags, ACommonTagOfTwoHalvesComesApartWhereItMust) {
  Scenario job(kWorld);
  for (std::int32_t rank = 0; rank < kWorld; ++rank) {
    add(job, rank, message(Op::send, (rank + 1) % kWorld, rank));
    add(job, rank, message(Op::recv, (rank + kWorld - 1) % kWorld, (rank + kWorld - 1) % kWorld));
  }
  Event both = message(Op::sendrecv, 3, 2);  // sends with its own tag, and receives with the same
  job.ranks[2].events = {both};
  const auto plain = with_plain_tags(job);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->ranks[2].events[0].extras.sendtag(), 0);
  EXPECT_EQ(plain->ranks[2].events[0].extras.recvtag(), 2);
}

TEST(MergeRoles, ARingWithATagForEachSenderClosesUp) {
  const auto is_ring = [](const Scenario& scenario) {  // each message that is waited for is sent by who waits as well
    for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
      const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
      if (events.size() != 2 || events[0].peer == rank) return false;
      const auto& theirs = scenario.ranks[static_cast<std::size_t>(events[0].peer)].events;
      if (theirs.size() != 2 || theirs[1].peer != rank || theirs[1].tag != events[0].tag) return false;
    }
    return true;
  };
  const Scenario job = ring([](auto from, auto) { return from; });
  ASSERT_TRUE(is_ring(job));
  ScenarioPtr current = share(job);
  for (auto search = merge_roles()->propose(current, {}); !search->done();) {
    auto candidate = search->apply();
    if (candidate && is_ring(*candidate)) {
      current = share(std::move(*candidate));
      search->accepted(current);
    } else {
      search->rejected();
    }
  }
  EXPECT_EQ(current->world(), 2);
}

}  // namespace
}  // namespace petri::reduce
