#include "reducers/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "reducers/deadline.hpp"
#include "reducers/judge.hpp"
#include "reducers/searches.hpp"
#include "reducers/singles.hpp"
#include "reducers/speculation.hpp"

namespace petri::reduce {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Says where a reduction of `input` comes from.
void name_origin(Scenario& scenario, const Scenario& input, const ShrinkOptions& options) {
  std::optional<Origin>& origin = scenario.header.origin;
  // A map leads on to the job that was reduced first; without one, the input is that job.
  if (input.header.origin && !input.header.origin->ranks.empty()) return;
  std::vector<std::int32_t> ranks;
  if (origin) ranks = std::move(origin->ranks);
  if (ranks.empty()) {
    ranks.resize(scenario.ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  origin = Origin{options.source, options.digest, std::move(ranks)};
}

// The input itself, which its owner keeps: a copy of a large one is what memory cannot spare.
ScenarioPtr borrowed(const Scenario& input) {
  return {std::shared_ptr<const void>(), &input};
}

class Engine {
 public:
  Engine(const Scenario& input, const Oracle& oracle, const ShrinkOptions& options)
      : input_(input),
        options_(options),
        deadline_(options.limits.seconds, options.limits.stop),
        judge_(oracle, options.journal),
        speculation_(judge_, options.jobs, deadline_.token()) {
    judge_.remember(options.known);
    current_ = current_of(borrowed(input));
    context_.seed = options.seed;
    for (const EventRef ref : options.failure) {
      context_.failure.insert({original_rank(*current_.scenario, ref.rank), at(*current_.scenario, ref).seq});
    }
  }

  ShrinkResult run(const std::vector<PassPtr>& passes) {
    if (input_reproduces()) {
      result_.claim = kOneMinimal;
      while (!stopped() && (round(passes) || sweep())) continue;
      if (!result_.stopped_by.empty()) result_.claim = kStoppedEarly;
    }
    speculation_.restart();
    result_.scenario = *current_.scenario;
    name_origin(result_.scenario, input_, options_);
    for (AlsoFound& also : result_.also_found) name_origin(also.scenario, input_, options_);
    result_.undecided = undecided_.size();
    result_.asked = judge_.asked();
    result_.wasted = wasted();
    result_.seconds = seconds_since(start_);
    return std::move(result_);
  }

 private:
  bool input_reproduces() {
    if (options_.input_fails) {
      decided_.insert(current_.fingerprint);
      ++result_.tests;
      return result_.reproduced = true;
    }
    const Judgement judgement = judge_.judge(*current_.scenario, current_.fingerprint, deadline_.at_wish());
    if (judgement.answer == Answer::stopped) {
      stop_now();
      result_.reason = "stopped before there was an answer for the input";
      return false;
    }
    count(current_.fingerprint);
    result_.reproduced = judgement.answer == Answer::reproduces;
    if (result_.reproduced) return true;
    if (!judgement.other.empty()) {
      result_.reason = fmt::format("the input fails differently: {}", judgement.other);
    } else {
      result_.reason =
          judgement.answer == Answer::passes ? "the input does not fail" : "no answer could be had for the input";
    }
    return false;
  }

  // One run of each pass, coarse to fine; true when something was gained, so that the coarse ones get another chance.
  // What found nothing in the current scenario would only find nothing once more.
  bool round(const std::vector<PassPtr>& passes) {
    bool gained = false;
    fruitless_.resize(passes.size());
    for (std::size_t i = 0; i < passes.size() && !stopped(); ++i) {
      if (fruitless_[i] == gains_) continue;
      const std::unique_ptr<Search> search = passes[i]->propose(current_.scenario, context_);
      if (walk(passes[i]->name(), *search, passes[i]->may_meet_others()))
        gained = true;
      else
        fruitless_[i] = gains_;
    }
    return gained;
  }

  // Proves the claim: every single communicator, rank and event, whatever the passes tried. Almost all of it is known.
  bool sweep() {
    const ScenarioPtr base = current_.scenario;
    // One gain is enough: the passes then go on from there.
    const std::unique_ptr<Search> search = try_in_order(
        base, [&](const ScenarioPtr& now) { return now == base ? single_removals(now) : std::vector<Proposal>{}; });
    std::unordered_set<std::string> before;
    std::swap(before, undecided_);
    const bool gained = walk("final sweep", *search, true);
    result_.undecided_singles = undecided_.size();
    undecided_.merge(before);
    return gained;
  }

  bool walk(std::string_view name, Search& search, bool others) {
    const Size before = current_.size;
    bool gained = false;
    while (!search.done() && !stopped()) {
      Trial trial = speculation_.next(search, current_);
      if (trial.judgement.answer == Answer::stopped) {
        stop_now();
        break;
      }
      if (trial.candidate.scenario != nullptr && !affords(trial.candidate.fingerprint)) break;
      const bool accept = trial.candidate.scenario != nullptr && decide(trial, others);
      if (accept) {
        gained = true;
        ++gains_;
        last_gain_ = Clock::now();
        current_ = std::move(trial.candidate);
        search.accepted(current_.scenario);
        speculation_.restart();
      } else {
        search.rejected();
        speculation_.rejected();
      }
      report(name);
    }
    speculation_.restart();
    if (gained) result_.history.push_back({name, before, current_.size});
    return gained;
  }

  bool decide(const Trial& trial, bool others) {
    count(trial.candidate.fingerprint);
    if (trial.judgement.answer == Answer::unresolved) undecided_.insert(trial.candidate.fingerprint);
    if (others && !trial.judgement.other.empty()) keep_aside(trial);
    return trial.judgement.answer == Answer::reproduces;
  }

  // Only a candidate that was not decided before costs of the budget: where all that is left is known, the end is
  // reached, and not a stop.
  bool affords(const std::string& fingerprint) {
    const std::uint64_t limit = options_.limits.tests;
    if (limit == 0 || result_.tests < limit || decided_.contains(fingerprint)) return true;
    result_.stopped_by = "tests";
    return false;
  }

  void count(const std::string& fingerprint) {
    if (!decided_.insert(fingerprint).second) return;
    ++result_.tests;
    if (!options_.known.contains(fingerprint)) ++used_;
  }

  void keep_aside(const Trial& trial) {
    auto& all = result_.also_found;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const AlsoFound& also) { return also.signature == trial.judgement.other; });
    if (found == all.end()) {
      all.push_back({trial.judgement.other, *trial.candidate.scenario});
    } else if (trial.candidate.size < size_of(found->scenario)) {
      found->scenario = *trial.candidate.scenario;
    }
  }

  bool stopped() {
    if (!result_.stopped_by.empty()) return true;
    if (const std::string_view reason = deadline_.reached(); !reason.empty()) result_.stopped_by = reason;
    return !result_.stopped_by.empty();
  }

  // A question came back without an answer. An oracle may have heard of the user's wish before the deadline did.
  void stop_now() {
    if (!stopped()) result_.stopped_by = "request";
  }

  std::uint64_t wasted() const { return judge_.asked() - std::min(used_, judge_.asked()); }

  void report(std::string_view pass) const {
    if (!options_.progress) return;
    const double seconds = seconds_since(start_);
    const auto asked = static_cast<double>(judge_.asked());
    options_.progress({pass, current_.size, result_.tests, seconds, seconds_since(last_gain_),
                       seconds > 0 ? asked / seconds : 0, asked > 0 ? static_cast<double>(wasted()) / asked : 0});
  }

  const Scenario& input_;
  const ShrinkOptions& options_;
  Deadline deadline_;
  Judge judge_;
  Speculation speculation_;
  PassContext context_;
  Current current_;
  ShrinkResult result_;
  std::unordered_set<std::string> decided_, undecided_;
  std::uint64_t gains_ = 0;                              // accepted so far
  std::vector<std::optional<std::uint64_t>> fruitless_;  // by pass: gains_ when it last found nothing
  std::uint64_t used_ = 0;                               // decided by asking in this run
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_gain_ = start_;
};

}  // namespace

ShrinkResult shrink(const Scenario& input, const Oracle& oracle, const ShrinkOptions& options) {
  return shrink(input, oracle, options, all_passes());
}

ShrinkResult shrink(const Scenario& input, const Oracle& oracle, const ShrinkOptions& options,
                    const std::vector<PassPtr>& passes) {
  return Engine(input, oracle, options).run(passes);
}

}  // namespace petri::reduce
