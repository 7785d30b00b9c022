#include "reducers/engine.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "harness/trace/write.hpp"
#include "reducers/repair.hpp"
#include "reducers/subset.hpp"
#include "tests/reducers/build.hpp"

namespace petri::reduce {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string bytes_of(const Scenario& scenario) {
  std::ostringstream out;
  write_scenario(scenario, out);
  return out.str();
}

// Every scenario that lacks exactly one rank, event or communicator, repaired.
std::vector<Scenario> one_less(const Scenario& scenario) {
  std::vector<Scenario> all;
  const auto without = [&](auto take_away) {
    Selection keep = Selection::all(scenario);
    take_away(keep);
    if (auto smaller = cut(scenario, keep)) all.push_back(std::move(*smaller));
  };
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    without([&](Selection& keep) { keep.ranks[rank] = 0; });
    for (std::uint32_t i = 0; i < scenario.ranks[rank].events.size(); ++i) {
      without([&](Selection& keep) { keep.drop({static_cast<std::int32_t>(rank), i}); });
    }
  }
  for (std::size_t comm = 1; comm < scenario.comms.size(); ++comm) {
    without([&](Selection& keep) { keep.comms[comm] = 0; });
  }
  return all;
}

// Fails while ranks 3 and 7 of the job, the allreduces on "x" and two calls at least of rank 3 are there: needs of
// different kinds that no single pass meets.
bool is_tangled(const Scenario& scenario) {
  const std::int32_t comm = scenario.find_comm("x");
  if (comm == kNoComm) return false;
  std::set<std::int32_t> on_comm;
  bool busy = false;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    const std::int32_t original = original_rank(scenario, rank);
    for (const Event& made : events) {
      if (made.comm == comm && made.op == Op::allreduce) on_comm.insert(original);
    }
    busy = busy || (original == 3 && events.size() >= 2);
  }
  return busy && on_comm.contains(3) && on_comm.contains(7);
}

Scenario tangled_job() {
  Scenario job = data_parallel_job(10, 4, 2);
  const std::int32_t x = add_comm(job, "x", {1, 3, 5, 7});
  const std::int32_t y = add_comm(job, "y", {7, 3});
  for (const std::int32_t rank : {1, 3, 5, 7}) add(job, rank, collective(Op::allreduce, x, 5));
  for (const std::int32_t rank : {3, 7}) add(job, rank, collective(Op::allreduce, y, 6));
  return job;
}

TEST(Engine, DataParallelJobShrinksToTheCulpritAndAWitness) {
  const Scenario job = data_parallel_job();
  const ShrinkResult result = shrink(job, when(has_extra_collective));
  EXPECT_TRUE(result.reproduced);
  EXPECT_EQ(result.claim, kOneMinimal);
  EXPECT_EQ(result.scenario.world(), 2);
  EXPECT_EQ(result.scenario.event_count(), 1U);
  EXPECT_TRUE(is_subset_of(job, result.scenario));
  EXPECT_FALSE(result.history.empty());
}

TEST(Engine, TheResultIsOneMinimalByBruteForce) {
  for (const auto& [job, oracle] :
       {std::pair{tangled_job(), when(is_tangled)}, std::pair{ring_job(9), when(has_send_cycle)},
        std::pair{data_parallel_job(), when(has_extra_collective)}}) {
    const ShrinkResult result = shrink(job, oracle);
    ASSERT_EQ(result.claim, kOneMinimal);
    ASSERT_EQ(oracle(result.scenario).answer, Answer::reproduces);
    for (const Scenario& smaller : one_less(result.scenario)) EXPECT_NE(oracle(smaller).answer, Answer::reproduces);
  }
}

TEST(Engine, TheResultIsTheSameForAnyNumberOfThreadsAndSeed) {
  for (const std::uint64_t seed : {0U, 1U, 99U}) {
    ShrinkOptions options;
    options.seed = seed;
    const ShrinkResult alone = shrink(tangled_job(), when(is_tangled), options);
    for (const int jobs : {2, 5}) {
      options.jobs = jobs;
      const ShrinkResult together = shrink(tangled_job(), when(is_tangled), options);
      EXPECT_EQ(bytes_of(together.scenario), bytes_of(alone.scenario)) << jobs << " threads, seed " << seed;
      EXPECT_EQ(together.tests, alone.tests);
    }
  }
}

TEST(Engine, AnInputThatIsKnownToFailIsNotAskedAbout) {
  const std::string input = fingerprint(tangled_job());
  const Oracle not_about_input = [&](const Scenario& s) {
    EXPECT_NE(fingerprint(s), input);
    return Judgement{is_tangled(s) ? Answer::reproduces : Answer::passes, {}};
  };
  ShrinkOptions options;
  options.input_fails = true;
  const ShrinkResult known = shrink(tangled_job(), not_about_input, options);
  const ShrinkResult asked = shrink(tangled_job(), when(is_tangled));
  EXPECT_EQ(bytes_of(known.scenario), bytes_of(asked.scenario));
  EXPECT_EQ(known.tests, asked.tests);
  EXPECT_EQ(known.asked + 1, asked.asked);
}

TEST(Engine, ABudgetOfTestsStopsAtTheSamePlaceWithAnyNumberOfThreads) {
  const std::uint64_t all = shrink(tangled_job(), when(is_tangled)).tests;
  ASSERT_GT(all, 20U);
  for (std::uint64_t limit = 1; limit < all; limit += 4) {
    ShrinkOptions options;
    options.limits.tests = limit;
    const ShrinkResult alone = shrink(tangled_job(), when(is_tangled), options);
    options.jobs = 3;
    const ShrinkResult together = shrink(tangled_job(), when(is_tangled), options);
    EXPECT_EQ(bytes_of(together.scenario), bytes_of(alone.scenario));
    EXPECT_EQ(alone.tests, limit);
    EXPECT_EQ(alone.claim, kStoppedEarly);
    EXPECT_EQ(alone.stopped_by, "tests");
  }
}

TEST(Engine, ABudgetThatIsJustEnoughIsNoStop) {
  const ShrinkResult all = shrink(tangled_job(), when(is_tangled));
  for (const int jobs : {1, 3}) {
    ShrinkOptions options;
    options.jobs = jobs;
    options.limits.tests = all.tests;
    const ShrinkResult enough = shrink(tangled_job(), when(is_tangled), options);
    EXPECT_EQ(enough.claim, kOneMinimal);
    EXPECT_EQ(enough.stopped_by, "");
    EXPECT_EQ(enough.tests, all.tests);
    options.limits.tests = all.tests - 1;
    EXPECT_EQ(shrink(tangled_job(), when(is_tangled), options).claim, kStoppedEarly);
  }
}

TEST(Engine, ABudgetOfTimeStopsEarly) {
  ShrinkOptions options;
  options.limits.seconds = 1e-9;
  const ShrinkResult result = shrink(tangled_job(), when(is_tangled), options);
  EXPECT_EQ(result.claim, kStoppedEarly);
  EXPECT_EQ(result.stopped_by, "time");
}

TEST(Engine, ARequestStopsEarlyWithTheBestSoFar) {
  ShrinkOptions options;
  std::atomic<int> asked{0};
  options.limits.stop = [&] { return ++asked > 10; };
  const ShrinkResult result = shrink(tangled_job(), when(is_tangled), options);
  EXPECT_EQ(result.stopped_by, "request");
  EXPECT_TRUE(is_tangled(result.scenario));
}

TEST(Engine, AnInputThatDoesNotFailIsSaidToBeSo) {
  const ShrinkResult passes = shrink(Scenario(2), when(has_extra_collective));
  EXPECT_FALSE(passes.reproduced);
  EXPECT_EQ(passes.tests, 1U);
  EXPECT_THAT(passes.reason, HasSubstr("does not fail"));
  const Oracle unsure = [](const Scenario&) { return Judgement{Answer::unresolved, {}}; };
  EXPECT_THAT(shrink(Scenario(2), unsure).reason, HasSubstr("no answer"));
  const Oracle other = [](const Scenario&) { return Judgement{Answer::passes, "mismatch(x)"}; };
  EXPECT_THAT(shrink(Scenario(2), other).reason, HasSubstr("mismatch(x)"));
}

TEST(Engine, AnUnresolvedCandidateIsNoReproduction) {
  const Oracle oracle = [](const Scenario& s) {
    return Judgement{s.world() < 4 ? Answer::unresolved : Answer::reproduces, {}};
  };
  const ShrinkResult result = shrink(data_parallel_job(), oracle);
  EXPECT_EQ(result.scenario.world(), 4);
  EXPECT_GT(result.undecided, 0U);
  EXPECT_EQ(result.undecided_singles, 1U) << "whichever of the four goes, the same program is left";
  EXPECT_EQ(shrink(data_parallel_job(), when(has_extra_collective)).undecided, 0U);
}

TEST(Engine, DifferentFailuresAreKeptAside) {
  const Oracle oracle = [](const Scenario& s) {
    if (has_extra_collective(s)) return Judgement{Answer::reproduces, {}};
    return Judgement{Answer::passes, s.event_count() == 0 ? "empty" : "quiet"};
  };
  ShrinkOptions options;
  const ShrinkResult alone = shrink(data_parallel_job(), oracle, options);
  ASSERT_EQ(alone.also_found.size(), 2U);
  options.jobs = 2;
  const ShrinkResult together = shrink(data_parallel_job(), oracle, options);
  ASSERT_EQ(together.also_found.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(together.also_found[i].signature, alone.also_found[i].signature);
    EXPECT_EQ(bytes_of(together.also_found[i].scenario), bytes_of(alone.also_found[i].scenario));
  }
}

TEST(Engine, WhatTheOracleThrowsReachesTheCaller) {
  std::atomic<int> asked{0};
  const Oracle oracle = [&](const Scenario&) -> Judgement {
    if (++asked > 3) throw std::runtime_error("no mpirun");
    return {Answer::reproduces, {}};
  };
  ShrinkOptions options;
  options.jobs = 2;
  EXPECT_THROW(shrink(data_parallel_job(), oracle, options), std::runtime_error);
}

// Judged by many threads: as soon as rank 0 is given up, what was judged ahead without it has no use any more.
TEST(Engine, LosersAreStoppedAndLeaveNothingBehind) {
  std::atomic<int> withdrawn{0}, answered{0};
  const Oracle slow = Oracle::Ask([&](const Scenario& s, const std::stop_token& stop) {
    const bool fails = has_extra_collective(s);
    // A loser would take for ever; what is asked in earnest is answered once no other question is open before it.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(fails ? 0 : 2);
    while (std::chrono::steady_clock::now() < patience) {
      if (stop.stop_requested()) {
        ++withdrawn;
        return Judgement{Answer::stopped, {}};
      }
      std::this_thread::yield();
    }
    ++answered;
    return Judgement{fails ? Answer::reproduces : Answer::passes, {}};
  });
  const Scenario job = data_parallel_job();
  const ShrinkResult alone = shrink(job, when(has_extra_collective));
  ShrinkOptions options;
  options.jobs = 4;
  const ShrinkResult together = shrink(job, slow, options);
  EXPECT_EQ(bytes_of(together.scenario), bytes_of(alone.scenario));
  EXPECT_EQ(together.tests, alone.tests);
  EXPECT_EQ(together.asked, static_cast<std::uint64_t>(withdrawn + answered));
  EXPECT_EQ(together.claim, kOneMinimal);
}

TEST(Engine, AQuestionUnderWayIsWithdrawnWhenTheTimeIsOver) {
  for (const int jobs : {1, 3}) {
    std::atomic<int> asked{0};
    const Oracle endless = Oracle::Ask([&](const Scenario& s, const std::stop_token& stop) {
      if (++asked == 1) return Judgement{has_extra_collective(s) ? Answer::reproduces : Answer::passes, {}};
      while (!stop.stop_requested()) std::this_thread::yield();
      return Judgement{Answer::stopped, {}};
    });
    ShrinkOptions options;
    options.jobs = jobs;
    options.limits.seconds = 0.2;
    const ShrinkResult result = shrink(data_parallel_job(), endless, options);
    EXPECT_TRUE(result.reproduced);
    EXPECT_EQ(result.stopped_by, "time");
    EXPECT_FALSE(result.repeatable());
    EXPECT_EQ(result.tests, 1U);
  }
}

TEST(Engine, TheSameProgramIsNeverJudgedTwice) {
  std::set<std::string> seen;
  const Oracle oracle = [&](const Scenario& s) {
    EXPECT_TRUE(seen.insert(fingerprint(s)).second);
    return Judgement{is_tangled(s) ? Answer::reproduces : Answer::passes, {}};
  };
  shrink(tangled_job(), oracle);
}

// Notes in which scenarios, by their number of events, a pass looked for something.
class Watched final : public Pass {
 public:
  Watched(PassPtr pass, std::vector<std::size_t>& seen) : pass_(std::move(pass)), seen_(seen) {}
  std::string_view name() const override { return pass_->name(); }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    seen_.push_back(current->event_count());
    return pass_->propose(current, context);
  }

 private:
  PassPtr pass_;
  std::vector<std::size_t>& seen_;
};

TEST(Engine, APassThatFoundNothingIsNotRunOnTheSameScenarioAgain) {
  std::vector<std::size_t> events, ranks, groups;
  std::vector<PassPtr> passes;
  passes.push_back(std::make_unique<Watched>(drop_events(), events));
  passes.push_back(std::make_unique<Watched>(drop_ranks(), ranks));
  passes.push_back(std::make_unique<Watched>(drop_groups(), groups));
  const Scenario job = tangled_job();
  const ShrinkResult result = shrink(job, when(is_tangled), {}, passes);
  const std::size_t before = job.event_count(), left = result.scenario.event_count();
  // The first round drops events, and ranks that have none any more; the second one finds nothing.
  EXPECT_THAT(events, ElementsAre(before, left));
  EXPECT_THAT(ranks, ElementsAre(left, left));
  EXPECT_THAT(groups, ElementsAre(left));
}

TEST(Engine, ProgressIsReportedUpToTheResult) {
  ShrinkOptions options;
  Progress last;
  options.progress = [&](const Progress& progress) { last = progress; };
  const ShrinkResult result = shrink(data_parallel_job(), when(has_extra_collective), options);
  EXPECT_EQ(last.size, size_of(result.scenario));
  EXPECT_EQ(last.tests, result.tests);
  EXPECT_EQ(last.wasted, 0);
}

TEST(Origin, MapsOfReductionsAreComposed) {
  ShrinkOptions options;
  options.source = "job.jsonl";
  options.digest = "xxh3-128:1";
  const auto three = [](const Scenario& s) { return s.world() >= 3 && has_extra_collective(s); };
  const Scenario job = data_parallel_job();
  const Scenario first = shrink(job, when(three), options).scenario;
  EXPECT_EQ(first.header.origin->source, "job.jsonl");
  options.source = "first.jsonl";
  const Scenario second = shrink(first, when(has_extra_collective), options).scenario;
  EXPECT_EQ(second.header.origin->source, "job.jsonl");
  EXPECT_THAT(second.header.origin->ranks, ::testing::Contains(11));
  EXPECT_TRUE(is_subset_of(first, second)) << not_from_original(first, second);
  EXPECT_TRUE(is_subset_of(job, second)) << not_from_original(job, second);
}

TEST(Subset, WhatIsNotFromTheOriginalIsNamed) {
  const Scenario job = data_parallel_job(4);
  Scenario small = shrink(job, when(has_extra_collective)).scenario;
  EXPECT_EQ(not_from_original(data_parallel_job(1), small).substr(0, 4), "rank");
  add(small, 0, collective(Op::scan));
  EXPECT_THAT(not_from_original(job, small), HasSubstr("rank 0"));
}

TEST(Oracle, IsAskedAgainToSeeWhetherItWavers) {
  int asked = 0;
  const Oracle wavering = [&](const Scenario&) {
    return Judgement{++asked % 5 == 0 ? Answer::passes : Answer::reproduces, {}};
  };
  const Answers answers = ask_again(wavering, Scenario(1), 10);
  EXPECT_EQ(answers.reproduces, 8);
  EXPECT_EQ(answers.asked(), 10);
  EXPECT_TRUE(answers.differ());
}

// Fails to see the failure one time in five: without repeats it is lost on the way, with them the minimum is reached.
TEST(KOfN, FindsTheMinimumWithAPredicateThatMissesOneInFive) {
  const auto missing_some = [](std::uint64_t& state) -> Oracle {
    return [&state](const Scenario& s) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const bool seen = has_extra_collective(s) && (state >> 33U) % 5 != 0;
      return Judgement{seen ? Answer::reproduces : Answer::passes, {}};
    };
  };
  const Scenario job = data_parallel_job();
  const ShrinkResult sure = shrink(job, when(has_extra_collective));
  for (std::uint64_t state : {1U, 2U, 3U}) {
    const ShrinkResult result = shrink(job, k_of_n(missing_some(state), 1, 6));
    EXPECT_EQ(bytes_of(result.scenario), bytes_of(sure.scenario));
  }
}

TEST(KOfN, CountsRunsAndStopsWhenDecided) {
  int asked = 0;
  const Oracle every_third = [&](const Scenario&) {
    return Judgement{++asked % 3 == 0 ? Answer::reproduces : Answer::passes, {}};
  };
  const Scenario job(1);
  EXPECT_EQ(k_of_n(every_third, 1, 3)(job).answer, Answer::reproduces);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(k_of_n(every_third, 2, 3)(job).answer, Answer::passes);
  EXPECT_EQ(asked, 5);
  const Oracle unsure = [&](const Scenario&) { return Judgement{Answer::unresolved, {}}; };
  EXPECT_EQ(k_of_n(unsure, 1, 2)(job).answer, Answer::unresolved);
  EXPECT_THROW(k_of_n(unsure, 3, 2), std::invalid_argument);
}

}  // namespace
}  // namespace petri::reduce
