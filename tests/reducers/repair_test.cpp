#include "reducers/repair.hpp"

#include <gmock/gmock.h>

#include "tests/reducers/build.hpp"

namespace petri::reduce {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Selection without_ranks(const Scenario& base, const std::vector<std::size_t>& ranks) {
  Selection keep = Selection::all(base);
  for (const std::size_t rank : ranks) keep.ranks[rank] = 0;
  return keep;
}

Selection without_events(const Scenario& base, const std::vector<EventRef>& events) {
  Selection keep = Selection::all(base);
  for (const EventRef ref : events) keep.drop(ref);
  return keep;
}

const Event& only_event(const Scenario& scenario, std::int32_t rank) {
  return scenario.ranks.at(static_cast<std::size_t>(rank)).events.at(0);
}

TEST(Repair, KeepingAllKeepsEverything) {
  const Scenario job = data_parallel_job();
  const Scenario same = *cut(job, Selection::all(job));
  EXPECT_EQ(same.event_count(), job.event_count());
  EXPECT_EQ(same.world(), job.world());
}

TEST(Repair, NoRanksIsNoScenario) {
  const Scenario job(2);
  EXPECT_FALSE(cut(job, without_ranks(job, {0, 1})).has_value());
}

TEST(Repair, RanksLeaveCommunicatorsAndKeepTheirOriginalNumber) {
  Scenario job(5);
  const std::int32_t comm = add_comm(job, "tp", {4, 2, 0});
  for (const std::int32_t rank : {0, 2, 4}) add(job, rank, collective(Op::barrier, comm));
  job.header.hosts = {"a", "b", "c", "d", "e"};
  const Scenario once = *cut(job, without_ranks(job, {2}));
  EXPECT_THAT(once.comms[1].ranks, ElementsAre(3, 0));
  EXPECT_THAT(once.header.hosts, ElementsAre("a", "b", "d", "e"));
  const Scenario twice = *cut(once, without_ranks(once, {1}));
  EXPECT_THAT(twice.comms[1].ranks, ElementsAre(2, 0));
  EXPECT_THAT(twice.header.origin->ranks, ElementsAre(0, 3, 4));
}

TEST(Repair, PeersAndMatchesAreRenumberedInTheirCommunicator) {
  Scenario job(4);
  const std::int32_t comm = add_comm(job, "pp", {3, 2, 1, 0});
  add(job, 0, on(message(Op::send, 1), comm));  // to global rank 2
  Event any = on(message(Op::recv, kAny), comm);
  any.extras.set_matched(3);  // global rank 0
  add(job, 2, any);
  const Scenario small = *cut(job, without_ranks(job, {3}));
  EXPECT_EQ(only_event(small, 0).peer, 0);
  EXPECT_EQ(only_event(small, 2).peer, kAny);
  EXPECT_EQ(only_event(small, 2).extras.matched(), 2);
}

TEST(Repair, MessagesWithADroppedPeerGoWithTheirWaits) {
  Scenario job(3);
  add(job, 0, message(Op::isend, 1, 0, 7));
  add(job, 0, message(Op::isend, 2, 0, 8));
  add(job, 0, wait_for(7));
  add(job, 0, wait_for_all({7, 8}));
  add(job, 0, message(Op::probe, 1));
  Event any = message(Op::recv, kAny);
  any.extras.set_matched(1);
  add(job, 0, any);
  add(job, 0, message(Op::send, kNull));
  const Scenario small = *cut(job, without_ranks(job, {1}));
  EXPECT_THAT(ops_of(small, 0), ElementsAre(Op::isend, Op::waitall, Op::send));
  EXPECT_THAT(small.ranks[0].events[1].extras.requests(), ElementsAre(8U));
}

TEST(Repair, ASendrecvLosesTheHalfWithADroppedPeer) {
  Scenario job(3);
  Event shift = event(Op::sendrecv);
  shift.extras.set_sendpeer(1);
  shift.extras.set_recvpeer(2);
  add(job, 0, shift);
  add(job, 0, message(Op::sendrecv, 2));
  const Scenario small = *cut(job, without_ranks(job, {2}));
  ASSERT_THAT(ops_of(small, 0), ElementsAre(Op::sendrecv));
  EXPECT_EQ(only_event(small, 0).extras.sendpeer(), 1);
  EXPECT_EQ(only_event(small, 0).extras.recvpeer(), kNull);
  EXPECT_THAT(ops_of(*cut(job, without_ranks(job, {1, 2})), 0), IsEmpty());
}

TEST(Repair, AStandInTakesOverFromADroppedPeer) {
  const Scenario ring = ring_job(4);
  const StandIn pairs = [](std::int32_t, std::int32_t, std::int32_t peer) { return peer % 2; };
  const Scenario small = *cut(ring, without_ranks(ring, {2, 3}), pairs);
  EXPECT_EQ(small.ranks[0].events[0].peer, 1);
  EXPECT_EQ(small.ranks[0].events[1].peer, 1);
  EXPECT_EQ(small.ranks[1].events[0].peer, 0);
  EXPECT_EQ(small.ranks[1].events[1].peer, 0);
}

TEST(Repair, ADroppedRootIsSucceededAlikeOnAllMembers) {
  Scenario job(4);
  add_to_all(job, rooted(Op::bcast, 1));
  const Scenario small = *cut(job, without_ranks(job, {1, 2}));
  EXPECT_EQ(only_event(small, 0).root, 1);  // rank 3 of old
  EXPECT_EQ(only_event(small, 1).root, 1);
}

TEST(Repair, CountsOfMembersThatLeftGo) {
  Scenario job(3);
  Event all = event(Op::alltoallv);
  all.extras.set_sendcounts({1, 2, 3});
  all.extras.set_recvcounts({4, 5, 6});
  add(job, 2, all);
  Event neighbours = event(Op::neighbor_allgatherv);
  neighbours.extras.set_recvcounts({7, 8, 9});
  add(job, 2, neighbours);
  const Scenario small = *cut(job, without_ranks(job, {1}));
  EXPECT_THAT(small.ranks[1].events[0].extras.sendcounts(), ElementsAre(1, 3));
  EXPECT_THAT(small.ranks[1].events[0].extras.recvcounts(), ElementsAre(4, 6));
  EXPECT_THAT(small.ranks[1].events[1].extras.recvcounts(), ElementsAre(7, 8, 9));
}

TEST(Repair, TargetsAndNamedMembersAreRenumbered) {
  Scenario job(3);
  Event put = event(Op::put);
  put.extras.set_target(2);
  add(job, 1, put);
  Event lost = event(Op::put);
  lost.extras.set_target(0);
  add(job, 1, lost);
  Event create = event(Op::comm_create);
  create.extras.set_ranks({0, 2});
  add(job, 1, create);
  const Scenario small = *cut(job, without_ranks(job, {0}));
  ASSERT_THAT(ops_of(small, 0), ElementsAre(Op::put, Op::comm_create));
  EXPECT_EQ(*small.ranks[0].events[0].extras.target(), 1);
  EXPECT_THAT(small.ranks[0].events[1].extras.ranks(), ElementsAre(1));
}

TEST(Repair, WhatUsesADroppedCommunicatorGoesAndItsCreationStaysACall) {
  Scenario job(2);
  const std::int32_t dup = add_comm(job, "dup", {0, 1});
  add_to_all(job, making(Op::comm_dup, dup));
  Event nonblocking = collective(Op::ibarrier, dup);
  nonblocking.request = 3;
  add_to_all(job, nonblocking);
  add_to_all(job, wait_for(3));
  add_to_all(job, on(event(Op::comm_free), dup));
  Selection keep = Selection::all(job);
  keep.comms[static_cast<std::size_t>(dup)] = 0;
  const Scenario small = *cut(job, keep);
  EXPECT_EQ(small.comms.size(), 1U);
  ASSERT_THAT(ops_of(small, 0), ElementsAre(Op::comm_dup));
  EXPECT_EQ(only_event(small, 0).extras.new_comm(), kNoComm);
}

TEST(Repair, CommunicatorsWithoutEventDisappearAndTheOthersMoveUp) {
  Scenario job(2);
  const std::int32_t first = add_comm(job, "first", {0, 1});
  const std::int32_t second = add_comm(job, "second", {0, 1});
  job.comms[static_cast<std::size_t>(second)].parent = "first";
  add(job, 0, collective(Op::barrier, first));
  add_to_all(job, collective(Op::allreduce, second));
  const Scenario small = *cut(job, without_events(job, {{0, 0}}));
  ASSERT_EQ(small.comms.size(), 2U);
  EXPECT_EQ(small.comms[1].name, "second");
  EXPECT_EQ(small.comms[1].parent, "");
  EXPECT_EQ(only_event(small, 0).comm, 1);
  EXPECT_EQ(small.find_comm("second"), 1);
}

TEST(Repair, AWaitFollowsTheMakerOfItsRequest) {
  Scenario job(2);
  add(job, 0, message(Op::isend, 1, 0, 1));
  add(job, 0, message(Op::irecv, 1, 0, 2));
  Event some = event(Op::waitsome);
  some.extras.set_requests({1, 2});
  some.extras.set_indices({0, 1});
  some.extras.set_index(1);
  add(job, 0, some);
  add(job, 0, wait_for(99));  // made before the record began
  const Scenario small = *cut(job, without_events(job, {{0, 0}}));
  ASSERT_THAT(ops_of(small, 0), ElementsAre(Op::irecv, Op::waitsome, Op::wait));
  const EventExtras& x = small.ranks[0].events[1].extras;
  EXPECT_THAT(x.requests(), ElementsAre(2U));
  EXPECT_THAT(x.indices(), ElementsAre(0U));
  EXPECT_EQ(*x.index(), 0);
  EXPECT_THAT(ops_of(*cut(job, without_events(job, {{0, 0}, {0, 1}})), 0), ElementsAre(Op::wait));
}

TEST(Repair, APersistentRequestGoesWithItsLastStart) {
  Scenario job(2);
  add(job, 0, message(Op::send_init, 1, 0, 4));
  add(job, 0, start_of(4));
  add(job, 0, wait_for(4));
  add(job, 0, start_of(4));
  add(job, 0, wait_for(4));
  EXPECT_THAT(ops_of(*cut(job, without_events(job, {{0, 1}})), 0),
              ElementsAre(Op::send_init, Op::wait, Op::start, Op::wait));
  EXPECT_THAT(ops_of(*cut(job, without_events(job, {{0, 1}, {0, 3}})), 0), IsEmpty());
  EXPECT_THAT(ops_of(*cut(job, without_events(job, {{0, 0}})), 0), IsEmpty());
}

TEST(Repair, APersistentRequestMayStayIdle) {
  Scenario job(2);
  add(job, 0, message(Op::send_init, 1, 0, 4));
  add(job, 0, start_of(4));
  add(job, 0, wait_for(4));
  Selection keep = without_events(job, {{0, 1}});
  keep.idle = Idle::stays;
  EXPECT_THAT(ops_of(*cut(job, keep), 0), ElementsAre(Op::send_init, Op::wait));
  keep.drop({0, 0});
  EXPECT_THAT(ops_of(*cut(job, keep), 0), IsEmpty()) << "a wait for what was never made is no legal call";
}

TEST(Repair, OnlyWhatComesBehindTheMakerOfARequestGoesWithIt) {
  Scenario job(2);
  add(job, 0, wait_for(4));
  add(job, 0, message(Op::isend, 1, 0, 4));
  add(job, 0, wait_for(4));
  EXPECT_THAT(ops_of(*cut(job, without_events(job, {{0, 1}})), 0), ElementsAre(Op::wait));
}

TEST(Repair, AMatchedReceiveGoesWithItsProbe) {
  Scenario job(2);
  Event probe = message(Op::mprobe, 1);
  probe.extras.set_message(5);
  Event recv = event(Op::mrecv);
  recv.extras.set_message(5);
  add(job, 0, probe);
  add(job, 0, recv);
  EXPECT_THAT(ops_of(*cut(job, without_events(job, {{0, 0}})), 0), IsEmpty());
  EXPECT_THAT(ops_of(*cut(job, without_ranks(job, {1})), 0), IsEmpty());
}

TEST(Repair, PositionsAreLoweredByTheCallsBeforeThem) {
  Scenario job(1);
  const std::int32_t comm = add_comm(job, "c", {0});
  for (std::int32_t position = 10; position < 13; ++position) {
    Event barrier = collective(Op::barrier);
    barrier.extras.set_coll_seq(position);
    add(job, 0, barrier);
    add(job, 0, collective(Op::barrier, comm));
  }
  const Scenario small = *cut(job, without_events(job, {{0, 0}, {0, 1}}));
  EXPECT_EQ(small.ranks[0].events[0].extras.coll_seq(), 10);
  EXPECT_EQ(small.ranks[0].events[2].extras.coll_seq(), 11);
  EXPECT_EQ(small.ranks[0].events[0].seq, 2U);
}

TEST(Repair, CallSitesAndFreeKeysComeAlong) {
  Scenario job(2);
  job.header.free_keys.emplace_back("x_note", "1");
  job.symbols.intern("unused.c:1");
  Event barrier = collective(Op::barrier);
  barrier.site = job.symbols.intern("train.cpp:42");
  add(job, 1, barrier);
  const Scenario small = *cut(job, without_ranks(job, {0}));
  EXPECT_EQ(small.site_of(only_event(small, 0)), "train.cpp:42");
  EXPECT_EQ(small.symbols.size(), 2U);
  EXPECT_EQ(small.header.free_keys.size(), 1U);
}

}  // namespace
}  // namespace petri::reduce
