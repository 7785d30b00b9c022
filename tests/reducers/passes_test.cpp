#include "reducers/passes.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <ctime>

#include "reducers/measure.hpp"
#include "reducers/oracle.hpp"
#include "reducers/subset.hpp"
#include "tests/reducers/build.hpp"

namespace petri::reduce {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The candidates of a pass that nobody accepts, to see what it proposes.
std::vector<Scenario> proposals_of(const PassPtr& pass, const Scenario& input, const PassContext& context = {}) {
  std::vector<Scenario> all;
  for (auto search = pass->propose(share(input), context); !search->done(); search->rejected()) {
    if (auto candidate = search->apply()) all.push_back(std::move(*candidate));
  }
  return all;
}

// Follows a pass with an oracle, without the engine.
Scenario walk(const PassPtr& pass, const Scenario& input, const Oracle& oracle, const PassContext& context = {}) {
  ScenarioPtr current = share(input);
  for (auto search = pass->propose(current, context); !search->done();) {
    auto candidate = search->apply();
    const bool smaller = candidate && size_of(*candidate) < size_of(*current);
    if (smaller && oracle(*candidate).answer == Answer::reproduces) {
      current = share(std::move(*candidate));
      search->accepted(current);
    } else {
      search->rejected();
    }
  }
  return *current;
}

TEST(MergeRoles, EqualRanksCollapseBesideTheCulprit) {
  const Scenario small = walk(merge_roles(), data_parallel_job(), when(has_extra_collective));
  EXPECT_EQ(small.world(), 2);
  EXPECT_THAT(small.header.origin->ranks, ElementsAre(0, 11));
}

TEST(MergeRoles, ARingClosesUp) {
  for (const std::int32_t world : {3, 7, 512}) {
    const Scenario small = walk(merge_roles(), ring_job(world), when(has_send_cycle));
    EXPECT_EQ(small.world(), 2) << world;
    EXPECT_TRUE(has_send_cycle(small));
  }
}

TEST(MergeRoles, AMasterLosesTheWorkersThatLeave) {
  Scenario job(9);
  for (std::int32_t worker = 1; worker < 9; ++worker) add(job, 0, message(Op::send, worker));
  for (std::int32_t worker = 1; worker < 9; ++worker) add(job, 0, message(Op::recv, worker));
  for (std::int32_t worker = 1; worker < 9; ++worker) {
    add(job, worker, message(Op::recv, 0));
    if (worker != 5) add(job, worker, message(Op::send, 0));
  }
  const auto lost_answer = [](const Scenario& s) {
    std::size_t sent = 0;
    std::size_t received = 0;
    for (const RankTrace& rank : s.ranks) {
      for (const Event& made : rank.events) {
        if (made.op == Op::recv) ++received;
        if (made.op == Op::send) ++sent;
      }
    }
    return received > sent;
  };
  const Scenario small = walk(merge_roles(), job, when(lost_answer));
  // One of each role: the master, a worker, and the one that does not answer.
  EXPECT_THAT(small.header.origin->ranks, ElementsAre(0, 1, 5));
  EXPECT_THAT(ops_of(small, 0), ElementsAre(Op::send, Op::send, Op::recv, Op::recv));
}

TEST(MergeRoles, RanksOfTheFailureRepresentTheirRole) {
  PassContext context;
  context.failure.insert({6, 0});
  for (const Scenario& candidate : proposals_of(merge_roles(), ring_job(8), context)) {
    EXPECT_THAT(candidate.header.origin->ranks, ::testing::Contains(6));
  }
}

TEST(MergeRoles, CommunicatorsStayApart) {
  Scenario job(8);
  for (std::int32_t pair = 0; pair < 4; ++pair) {
    const std::int32_t comm = add_comm(job, "pair" + std::to_string(pair), {2 * pair, 2 * pair + 1});
    for (const std::int32_t rank : {2 * pair, 2 * pair + 1}) add(job, rank, collective(Op::barrier, comm));
  }
  for (const Scenario& candidate : proposals_of(merge_roles(), job)) {
    EXPECT_TRUE(is_subset_of(job, candidate)) << not_from_original(job, candidate);
  }
}

TEST(Slice, KeepsTheFailureItsPartnersAndTheLifeOfRequests) {
  Scenario job(3);
  add_to_all(job, collective(Op::barrier));
  add(job, 0, message(Op::isend, 1, 0, 1));
  add(job, 0, message(Op::isend, 2, 0, 2));
  add(job, 0, wait_for_all({1, 2}));
  add(job, 1, message(Op::recv, 0));
  add(job, 2, message(Op::recv, 0));
  add_to_all(job, collective(Op::allreduce));
  PassContext context;
  context.failure = {{1, 1}};
  const auto search = slice()->propose(share(job), context);
  const Scenario tight = *search->apply();
  EXPECT_THAT(ops_of(tight, 0), ElementsAre(Op::isend, Op::waitall));
  EXPECT_THAT(tight.ranks[0].events[1].extras.requests(), ElementsAre(1U));
  EXPECT_THAT(ops_of(tight, 1), ElementsAre(Op::recv));
  EXPECT_THAT(ops_of(tight, 2), IsEmpty());
}

TEST(Slice, ThePastOfAFailureLeavesOutWhatComesAfter) {
  Scenario job(2);
  add_to_all(job, collective(Op::barrier));
  add_to_all(job, collective(Op::allreduce));
  add_to_all(job, collective(Op::barrier));
  PassContext context;
  context.failure = {{0, 1}};
  const Scenario past = proposals_of(slice(), job, context).back();
  EXPECT_THAT(ops_of(past, 0), ElementsAre(Op::barrier, Op::allreduce));
  EXPECT_THAT(ops_of(past, 1), ElementsAre(Op::barrier, Op::allreduce));
}

// A reduction whose numbers fail is a failure of all its calls: each of them needs all others, and is met by all.
TEST(Slice, ACallOfManyRanksCostsNoMoreThanItsRanks) {
  constexpr std::int32_t kRanks = 100'000;
  Scenario job(kRanks);
  add_to_all(job, collective(Op::allreduce));
  PassContext context;
  for (std::int32_t rank = 0; rank < kRanks; ++rank) context.failure.insert({rank, 0});
  const std::clock_t begun = std::clock();
  EXPECT_THAT(proposals_of(slice(), job, context), ::testing::Each(::testing::Field(&Scenario::ranks, SizeIs(kRanks))));
  EXPECT_LT(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, 10);  // a look at all pairs takes a minute
}

TEST(Slice, HasNothingToSayWithoutTheFailuresEvents) {
  EXPECT_THAT(proposals_of(slice(), data_parallel_job()), IsEmpty());
}

TEST(DropSteps, WholeStepsGoByTheirNumber) {
  const Scenario small = walk(drop_steps(), data_parallel_job(), when(has_extra_collective));
  for (const RankTrace& rank : small.ranks) {
    for (const Event& made : rank.events) EXPECT_EQ(made.step, 3);
  }
  EXPECT_EQ(small.world(), 16);
}

TEST(DropSteps, RepetitionsGoWhereNoStepIsRecorded) {
  Scenario job = data_parallel_job(4, 40, 2);
  for (RankTrace& rank : job.ranks) {
    for (Event& made : rank.events) made.step = kUnset;
  }
  const Scenario small = walk(drop_steps(), job, when(has_extra_collective));
  EXPECT_LE(small.event_count(), 4U * 3U + 4U);
}

TEST(DropRanks, OnlyTheCulpritAndAWitnessStay) {
  const Scenario small = walk(drop_ranks(), data_parallel_job(), when(has_extra_collective));
  EXPECT_EQ(small.world(), 2);
  EXPECT_THAT(small.header.origin->ranks, ::testing::Contains(11));
}

TEST(MoveTargets, ATargetThatOnlyLendsItsWindowGoes) {
  Scenario job(4);
  const auto lock_at = [](std::int32_t target) {
    Event made = event(Op::win_lock);
    made.extras.set_win("w");
    made.extras.set_target(target);
    return made;
  };
  for (const std::int32_t rank : {0, 1}) {
    add(job, rank, lock_at(rank == 0 ? 2 : 3));
    add(job, rank, lock_at(rank == 0 ? 3 : 2));
  }
  const auto locks_in_opposite_order = [](const Scenario& s) {
    if (s.world() < 2) return false;
    for (const RankTrace& rank : {s.ranks[0], s.ranks[1]})
      if (rank.events.size() != 2) return false;
    const auto target = [&](std::size_t rank, std::size_t i) { return s.ranks[rank].events[i].extras.target(); };
    return target(0, 0) == target(1, 1) && target(0, 1) == target(1, 0) && target(0, 0) != target(0, 1);
  };
  ASSERT_TRUE(locks_in_opposite_order(job));
  EXPECT_EQ(walk(drop_ranks(), job, when(locks_in_opposite_order)).world(), 4);
  EXPECT_EQ(walk(move_targets(), job, when(locks_in_opposite_order)).world(), 2);
}

TEST(DropComms, ACommunicatorGoesWithItsCreation) {
  Scenario job(2);
  const std::int32_t dup = add_comm(job, "dup", {0, 1});
  add_to_all(job, making(Op::comm_dup, dup));
  add_to_all(job, collective(Op::barrier, dup));
  add(job, 0, collective(Op::allreduce));
  const Scenario small = walk(drop_comms(), job, when(has_extra_collective));
  EXPECT_THAT(small.comms, SizeIs(1));
  EXPECT_THAT(ops_of(small, 0), ElementsAre(Op::allreduce));
  EXPECT_THAT(ops_of(small, 1), IsEmpty());
}

TEST(DropComms, ASplitThatMakesSeveralStaysACall) {
  Scenario job(2);
  const std::int32_t left = add_comm(job, "left", {0});
  const std::int32_t right = add_comm(job, "right", {1});
  add(job, 0, making(Op::comm_split, left));
  add(job, 1, making(Op::comm_split, right));
  add(job, 1, collective(Op::barrier, right));
  const auto needs_left = [&](const Scenario& s) { return s.find_comm("left") != kNoComm; };
  const Scenario small = walk(drop_comms(), job, when(needs_left));
  EXPECT_EQ(small.find_comm("right"), kNoComm);
  EXPECT_THAT(ops_of(small, 1), ElementsAre(Op::comm_split));
}

TEST(DropGroups, AMessageGoesOnBothSides) {
  Scenario job(2);
  for (std::int32_t i = 0; i < 20; ++i) {
    add(job, 0, message(Op::isend, 1, i, static_cast<std::uint32_t>(i)));
    add(job, 0, wait_for(static_cast<std::uint32_t>(i)));
    add(job, 1, message(Op::recv, 0, i));
  }
  add(job, 1, collective(Op::barrier));
  bool balanced = true;
  const auto watch = [&](const Scenario& s) {
    std::size_t sends = 0;
    std::size_t recvs = 0;
    for (const Event& made : s.ranks[0].events) sends += made.op == Op::isend ? 1 : 0;
    for (const Event& made : s.ranks[1].events) recvs += made.op == Op::recv ? 1 : 0;
    balanced = balanced && sends == recvs;
    return has_extra_collective(s);
  };
  const Scenario small = walk(drop_groups(), job, when(watch));
  EXPECT_TRUE(balanced);
  EXPECT_EQ(small.event_count(), 1U);
}

TEST(DropEvents, FindsTheOneExtraCall) {
  const Scenario small = walk(drop_events(), data_parallel_job(2, 6, 1), when(has_extra_collective));
  EXPECT_EQ(small.event_count(), 1U);
}

// Neither the receive of any source nor what it got can go alone, as far as this oracle goes.
TEST(DropPairs, AReceiveOfAnySourceGoesWithItsSend) {
  Scenario job(3);
  for (std::int32_t n = 0; n < 20; ++n) add(job, 1, message(Op::send, 0, n));
  add(job, 2, message(Op::send, 0, 7));
  for (std::int32_t n = 0; n < 20; ++n) add(job, 0, message(Op::recv, n == 5 ? kAny : 1, n));
  add(job, 0, message(Op::recv, kAny, 7));
  add(job, 0, collective(Op::barrier));
  const auto count = [](const Scenario& s, OpKind kind) {
    std::ptrdiff_t found = 0;
    for (const RankTrace& rank : s.ranks)
      found +=
          std::count_if(rank.events.begin(), rank.events.end(), [&](const Event& e) { return kind_of(e.op) == kind; });
    return found;
  };
  const auto balanced = [&](const Scenario& s) {
    return count(s, OpKind::send) == count(s, OpKind::recv) && !s.ranks[0].events.empty() &&
           s.ranks[0].events.back().op == Op::barrier;
  };
  const Scenario small = walk(drop_pairs(), job, when(balanced));
  EXPECT_EQ(count(small, OpKind::recv), 19);
  Scenario few(2);
  for (std::int32_t n = 0; n < 4; ++n) add(few, 0, message(Op::send, 1, n));
  const auto even = [](const Scenario& s) { return s.event_count() % 2 == 0; };
  EXPECT_EQ(walk(drop_pairs(), few, when(even)).event_count(), 0U);
}

TEST(CollapseComms, AGroupOfAllThatAreLeftIsTheWorld) {
  Scenario job(2);
  const std::int32_t tensor = add_comm(job, "tensor", {0, 1});
  const std::int32_t data = add_comm(job, "data", {0, 1});
  const std::int32_t swapped = add_comm(job, "swapped", {1, 0});
  for (const std::int32_t comm : {tensor, data, swapped}) add_to_all(job, collective(Op::allreduce, comm));
  const auto any = when([](const Scenario&) { return true; });
  const Scenario small = walk(collapse_comms(), job, any);
  // One of them: two communicators never become one.
  EXPECT_THAT(small.comms, SizeIs(3));
  EXPECT_EQ(small.find_comm("tensor"), kNoComm);
  EXPECT_EQ(small.comm_of(small.ranks[0].events[0]).name, "world");
  EXPECT_EQ(small.comm_of(small.ranks[0].events[1]).name, "data");
  EXPECT_EQ(not_from_original(job, small), "");
}

TEST(CollapseComms, AGroupStaysWhereTheWorldOrItsMakingIsNeeded) {
  Scenario both(2);
  const std::int32_t group = add_comm(both, "group", {0, 1});
  add_to_all(both, collective(Op::allreduce, group));
  Scenario made = both;
  Scenario part(3);
  add_to_all(part, collective(Op::allreduce, add_comm(part, "group", {0, 2})));
  add_to_all(both, collective(Op::barrier));
  made.ranks[0].events.insert(made.ranks[0].events.begin(), making(Op::comm_dup, group));
  for (const Scenario& job : {both, made, part}) EXPECT_THAT(proposals_of(collapse_comms(), job), IsEmpty());
}

TEST(ForgetRun, OutcomesGoWhereTheProgramAloneFails) {
  Scenario job = ring_job(2);
  for (RankTrace& rank : job.ranks) {
    rank.end.kind = EndKind::running;
    rank.end.stated = true;
    rank.events[0].state = EventState::started;
    rank.set_time(0, 1.5);
  }
  const Scenario small = walk(forget_run(), job, when(has_send_cycle));
  EXPECT_EQ(size_of(small).facts, 0U);
  const auto needs_end = [](const Scenario& s) { return s.ranks[1].end.kind == EndKind::running; };
  const Scenario kept = walk(forget_run(), job, when(needs_end));
  EXPECT_FALSE(kept.ranks[0].end.stated);
  EXPECT_TRUE(kept.ranks[1].end.stated);
  EXPECT_EQ(size_of(kept).facts, 1U);  // its states and clocks are not needed for that
}

TEST(ForgetRun, HowARankFailedIsKept) {
  Scenario job(1);
  job.ranks[0].end.kind = EndKind::signal;
  job.ranks[0].end.stated = true;
  job.ranks[0].end.signal = 9;
  EXPECT_EQ(walk(forget_run(), job, when([](const Scenario&) { return true; })).ranks[0].end.signal, 9);
}

TEST(ShrinkPayload, CountsBecomeSmallAndKeepTheirOrder) {
  Scenario job(1);
  for (const std::int64_t count : {4096, 17, 4096, 0, 100000}) add(job, 0, collective(Op::allreduce, 0, count));
  Event with_values = collective(Op::bcast, 0, 17);
  with_values.extras.set_values(std::vector(17, 0.5));
  with_values.extras.set_in(Summary{"xxh3-128:00", {}, {}, {}, {}, {}, {}});
  add(job, 0, with_values);
  const Scenario small = walk(shrink_payload(), job, when([](const Scenario&) { return true; }));
  std::vector<std::int64_t> counts;
  for (const Event& made : small.ranks[0].events) counts.push_back(made.count);
  EXPECT_THAT(counts, ElementsAre(2, 1, 2, 0, 3, 1));
  EXPECT_THAT(small.ranks[0].events[5].extras.values(), ElementsAre(0.5));
  EXPECT_FALSE(small.ranks[0].events[5].extras.in().has_value());
}

// Two ranks whose reduction is evaluated in two orders: index · (1 for rank 0, 2 for rank 1).
Scenario evaluated_job(std::int64_t count) {
  Scenario job(2);
  for (const std::int32_t rank : {0, 1}) {
    Event reduction = collective(Op::allreduce, 0, count);
    reduction.extras.set_orders({"ring", "sequential"});
    reduction.extras.set_fill(Fill{Generator::ramp, 0, rank + 1.0});
    add(job, rank, reduction);
  }
  return job;
}

TEST(DropElements, KeepsTheElementsThatTheDifferenceNeedsOnAllRanks) {
  const auto needs = [](const Scenario& scenario) {
    const auto has = [&](double value) {
      const auto& values = scenario.ranks[0].events[0].extras.values();
      return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
    };
    return has(3) && has(97);
  };
  const Scenario small = walk(drop_elements(), evaluated_job(100), when(needs));
  EXPECT_THAT(small.ranks[0].events[0].extras.values(), ElementsAre(3, 97));
  EXPECT_THAT(small.ranks[1].events[0].extras.values(), ElementsAre(6, 194));
  for (const RankTrace& rank : small.ranks) {
    EXPECT_EQ(rank.events[0].count, 2);
    EXPECT_FALSE(rank.events[0].extras.fill());
  }
}

TEST(DropElements, LeavesWhatIsNotEvaluatedAndWhatIsTooLong) {
  Scenario plain = evaluated_job(100);
  for (RankTrace& rank : plain.ranks) rank.events[0].extras.set_orders({});
  for (const Scenario& job : {plain, evaluated_job(1000000), evaluated_job(1)})
    EXPECT_EQ(walk(drop_elements(), job, when([](const Scenario&) { return true; })).ranks[0].events[0].count,
              job.ranks[0].events[0].count);
}

TEST(ShrinkPayload, AFailureBeyondALimitKeepsWhatItNeeds) {
  Scenario job = ring_job(2);
  add(job, 0, collective(Op::allreduce, 0, 500));
  job.ranks[0].events[0].count = 1'000'000;
  const auto beyond_limit = [](const Scenario& s) { return s.ranks[0].events[0].count > 4096; };
  const Scenario small = walk(shrink_payload(), job, when(beyond_limit));
  EXPECT_EQ(small.ranks[0].events[0].count, 4097);
  EXPECT_EQ(small.ranks[0].events[2].count, 1);
}

TEST(ShrinkPayload, APayloadFileKeepsItsSize) {
  Scenario job(1);
  Event from_file = collective(Op::bcast, 0, 64);
  from_file.extras.set_npy("input.npy");
  add(job, 0, from_file);
  add(job, 0, collective(Op::bcast, 0, 64));
  const Scenario small = walk(shrink_payload(), job, when([](const Scenario&) { return true; }));
  EXPECT_EQ(small.ranks[0].events[0].count, 64);
  EXPECT_EQ(small.ranks[0].events[1].count, 64);
}

TEST(RemoveUnits, NeedsLittleWhereLittleIsNeededAndLinearlyManyWhereAllIs) {
  Scenario job(1);
  for (std::int32_t i = 0; i < 1024; ++i) add(job, 0, message(Op::send, kNull, i));
  std::size_t asked = 0;
  const auto two = [&](const Scenario& s) {
    ++asked;
    std::size_t found = 0;
    for (const Event& made : s.ranks[0].events) found += made.tag == 3 || made.tag == 900 ? 1 : 0;
    return found == 2;
  };
  EXPECT_EQ(walk(drop_events(), job, when(two)).event_count(), 2U);
  EXPECT_LT(asked, 100U);
  asked = 0;
  const auto all = [&](const Scenario& s) {
    ++asked;
    return s.event_count() == 1024;
  };
  EXPECT_EQ(walk(drop_events(), job, when(all)).event_count(), 1024U);
  EXPECT_LT(asked, 2U * 1024U);
}

// Of 64 ranks in pairs, ranks 40 and 41 with their communicator, and of their 30 calls the seventh.
TEST(RemoveUnits, UnitsFollowWhatIsLeft) {
  Scenario job(64);
  for (std::int32_t pair = 0; pair < 32; ++pair) {
    const std::int32_t comm = add_comm(job, "pair" + std::to_string(pair), {2 * pair, 2 * pair + 1});
    for (const std::int32_t rank : {2 * pair, 2 * pair + 1})
      for (int i = 0; i < 30; ++i) add(job, rank, collective(Op::barrier, comm, i));
  }
  const auto needed = [](const Scenario& s) {
    std::size_t seen = 0;
    for (std::int32_t rank = 0; rank < s.world(); ++rank)
      for (const Event& made : s.ranks[static_cast<std::size_t>(rank)].events)
        if (made.seq == 6 && s.comm_of(made).name == "pair20" && original_rank(s, rank) / 2 == 20) ++seen;
    return seen == 2;
  };
  for (const std::uint64_t seed : {0, 1, 2}) {
    PassContext context;
    context.seed = seed;
    const Scenario ranks = walk(drop_ranks(), job, when(needed), context);
    EXPECT_THAT(ranks.header.origin->ranks, ElementsAre(40, 41));
    EXPECT_EQ(ranks.event_count(), 60U);
    const Scenario comms = walk(drop_comms(), job, when(needed), context);
    EXPECT_THAT(comms.comms, SizeIs(2));
    EXPECT_EQ(comms.event_count(), 60U);
    for (const auto& pass : {drop_groups, drop_events}) {
      const Scenario events = walk(pass(), job, when(needed), context);
      EXPECT_EQ(events.event_count(), 2U);
      EXPECT_TRUE(is_subset_of(job, events)) << not_from_original(job, events);
    }
  }
}

}  // namespace
}  // namespace petri::reduce
