#include "harness/diagnose/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "harness/diagnose/buffering.hpp"
#include "harness/diagnose/conflicts.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/kill.hpp"
#include "harness/diagnose/notes.hpp"
#include "harness/diagnose/numbers.hpp"
#include "harness/diagnose/went_past.hpp"
#include "harness/model/explore.hpp"
#include "harness/model/op_rules.hpp"

namespace petri {
namespace diagnosis {
namespace {

// Orders looked at to say whether a deadlock that the first one shows is there in all of them.
constexpr std::uint64_t kOrdersToCompare = 200;
// What exploring may cost where nobody says.
constexpr std::uint64_t kUsualOrders = 2000, kUsualEvents = 5'000'000;

class Judge {
 public:
  Judge(const Scenario& scenario, const DiagnoseOptions& options) : scenario_(scenario), options_(options) {}

  Diagnosis judge() {
    const model::Run actual = model::run(scenario_, {options_.buffered, true});
    mark_blocked(actual);
    misused_ = {&actual, find_misused_calls(actual)};
    const bool went_past = judge_past_meetings(actual, false);
    if (!is_answered()) judge_run(actual);
    // Where a lost record keeps ranks from coming as far as that in a strict run, it is still there.
    if (result_.findings.empty() || result_.verdict == Verdict::ambiguous || only_swaps_)
      judge_past_meetings(actual, true);
    if (went_past && !is_answered() && !actual.waits.empty()) judge_unsettled(actual);
    if (!options_.first_only) add_notes(scenario_, options_, actual, std::min(max_orders(), kOrdersToCompare), result_);
    return std::move(result_);
  }

 private:
  // Different operations that met are told before what came later. An error before them still outranks them. False
  // where there are none.
  bool judge_past_meetings(const model::Run& actual, bool also_of_hosts) {
    const std::optional<Scenario> halted = halted_where_operations_differ(scenario_, actual, also_of_hosts);
    if (!halted) return false;
    Diagnosis then = Judge(*halted, options_).judge();
    if (then.verdict != Verdict::deadlock) return false;
    then.findings.front().evidence.push_back(kWentPast);
    for (const Finding& finding : then.findings) said_.insert(finding.text);
    then.notes.clear();  // those of the record as it is are told
    result_ = std::move(then);
    return true;
  }

  // From what outranks the rest to what is left where nothing was found.
  void judge_run(const model::Run& actual) {
    const std::vector<Fault> mismatches = find_mismatches(scenario_, actual);
    const std::vector<Fault> misuses = misused_calls(actual);
    std::vector<Fault> causes = mismatches;
    causes.insert(causes.end(), misuses.begin(), misuses.end());
    const std::optional<Fault> rank_error = find_rank_error(scenario_, actual, causes);
    if (rank_error) add(Verdict::rank_error, *rank_error, consequence(actual, *rank_error));
    if (is_answered()) return;
    if (const auto fault = find_divergence(scenario_, actual)) add(Verdict::divergence, *fault);
    const OrderDependence numbers = find_order_dependence(scenario_, actual, options_.stop);
    if (numbers.difference) add(Verdict::divergence, *numbers.difference);
    if (is_answered()) return;
    judge_deadlocks(actual, rank_error.has_value() || ended_by_faulty_call(scenario_, actual, causes));
    if (is_answered()) return;
    for (const Fault& fault : mismatches) add(Verdict::mismatch, fault);
    if (result_.findings.empty() && !misuses.empty()) judge_other_orders(actual, true);
    judge_swaps(actual);
    for (const Fault& fault : misuses) add(Verdict::misuse, fault);
    if (is_answered()) return;
    for (const Fault& fault : find_conflicts(scenario_, actual)) add(Verdict::misuse, fault);
    for (const Fault& fault : find_busy_buffers(scenario_)) add(Verdict::misuse, fault);
    if (const auto fault = find_foreign_thread(scenario_)) add(Verdict::misuse, *fault);
    if (const auto fault = find_misuse(scenario_, actual)) add(Verdict::misuse, *fault);
    if (is_answered()) return;
    judge_races(actual);
    if (result_.findings.empty()) judge_other_orders(actual, false);
    if (result_.findings.empty() && numbers.undecided) add(Verdict::ambiguous, *numbers.undecided);
    if (result_.findings.empty()) judge_unsettled(actual);
    if (result_.findings.empty())
      if (const auto fault = find_failed_exit(scenario_, actual)) add(Verdict::rank_error, *fault);
  }

  // They rest on call sites alone, and what hangs in the same record does not come of them.
  void judge_swaps(const model::Run& actual) {
    const std::vector<Fault> swaps = find_swapped_sites(scenario_, actual);
    if (swaps.empty()) return;
    if (result_.findings.empty()) {
      const std::optional<Fault> hang = find_unsettled(scenario_, actual);
      if (hang && (!actual.waits.empty() || hang->findings.front().kind == Verdict::skew))
        add(hang->findings.front().kind, *hang);
      only_swaps_ = result_.findings.empty();
    }
    if (is_answered()) return;
    for (const Fault& fault : swaps) add(Verdict::mismatch, fault);
  }

  bool is_answered() const { return options_.first_only && !result_.findings.empty(); }

  std::uint64_t max_orders() const {
    const std::uint64_t affordable = kUsualEvents / std::max<std::uint64_t>(scenario_.event_count(), 1);
    return options_.max_orders.value_or(std::clamp<std::uint64_t>(affordable, 1, kUsualOrders));
  }

  // The first fault gives verdict and signature; of later ones only what has not been said is added.
  void add(Verdict verdict, const Fault& fault, const std::string& suffix = "") {
    const std::string signature = fmt::format("{}: {}{}", name_of(verdict), fault.form, suffix);
    if (result_.findings.empty()) {
      result_.verdict = verdict;
      result_.signature = signature;
    }
    for (const Finding& finding : fault.findings)
      if (said_.insert(finding.text).second) result_.findings.emplace_back(finding).signature = signature;
  }

  // Calls that what the rank did before does not allow.
  std::vector<Fault> find_misused_calls(const model::Run& actual) const {
    std::vector<Fault> misuses = find_wrong_uses(scenario_, actual);
    std::vector<Fault> on_windows = find_epoch_faults(scenario_, actual);
    std::move(on_windows.begin(), on_windows.end(), std::back_inserter(misuses));
    std::vector<Fault> reductions = find_invalid_reductions(scenario_, actual);
    std::move(reductions.begin(), reductions.end(), std::back_inserter(misuses));
    return misuses;
  }

  std::vector<Fault> misused_calls(const model::Run& run) const {
    return &run == misused_.first ? misused_.second : find_misused_calls(run);
  }

  // What an error led to, where others do not simply wait for a dead rank.
  std::string consequence(const model::Run& actual, const Fault& error) const {
    if (error.form.find(';') != std::string::npos) return "";
    const std::vector<Fault> deadlocks = find_deadlocks(scenario_, actual);
    return deadlocks.empty() ? "" : fmt::format("; {}", deadlocks.front().form);
  }

  // Buffering lets more messages compete for a wildcard than the strict reading does.
  void judge_races(const model::Run& actual) {
    if (actual.wildcards.empty()) return;
    const model::Run buffered = model::run(scenario_, {model::kUnlimited, true});
    if (const auto fault = find_race(scenario_, buffered, result_.notes)) add(Verdict::race, *fault);
  }

  void mark_blocked(const model::Run& run) {
    result_.blocked.assign(scenario_.ranks.size(), std::nullopt);
    for (const model::Wait& wait : run.waits) {
      auto& blocked = result_.blocked[static_cast<std::size_t>(wait.rank)];
      if (!blocked) blocked = wait.index;  // of several lanes the main thread counts
    }
  }

  void judge_deadlocks(const model::Run& actual, bool rank_died) {
    const bool seen = add_deadlocks(actual, true, rank_died);
    if (seen) {
      if (result_.verdict == Verdict::deadlock) say_orders(actual);
      return;
    }
    if (!actual.leaned_on_record) return;
    // What the record shows to have gone well may still be a deadlock by the rules: luck is no defence.
    const model::Run strict = model::run(scenario_, {options_.buffered, false});
    const std::size_t before = result_.findings.size();
    if (!add_deadlocks(strict, false, rank_died)) return;
    for (std::size_t i = before; i < result_.findings.size(); ++i)
      result_.findings[i].evidence.push_back(
          "this run got past it all the same: by luck of buffering, not by the rules");
    if (before == 0) mark_blocked(strict);
  }

  // Adds the deadlocks of a run; true if there were any.
  bool add_deadlocks(const model::Run& run, bool follow_record, bool rank_died) {
    std::vector<Fault> faults = find_deadlocks(scenario_, run);
    if (rank_died) std::erase_if(faults, [](const Fault& fault) { return fault.by_dead_rank; });
    if (faults.empty()) return false;
    if (const auto decision = differing_decision(scenario_, run)) {
      Finding& first = faults.front().findings.front();
      first.evidence.insert(first.evidence.begin(), decision->text);
      first.events.insert(first.events.end(), decision->events.begin(), decision->events.end());
    }
    add_groups(run, faults);
    for (const Fault& fault : misused_calls(run))
      if (follows_from(run, fault) || follows_from(faults, fault)) add(Verdict::misuse, fault);
    const std::vector<BufferingLimit> limits = limits_of(run, faults, follow_record);
    if (result_.findings.empty()) {
      first_waits_ = faults.front().waits;
      say_assumptions(run, limits.front(), faults.front());
    }
    for (std::size_t i = 0; i < faults.size(); ++i)
      add(Verdict::deadlock, faults[i],
          limits[i].always ? "" : fmt::format(" (unless {})", hidden_where(limits[i], faults[i])));
    return true;
  }

  // Does the wrong call itself wait, for a lock or an epoch, or somebody for partitions that were marked too early or
  // twice? Then the deadlock only follows from it.
  static bool follows_from(const model::Run& run, const Fault& fault) {
    const std::vector<EventRef>& events = fault.findings.front().events;
    return std::any_of(run.waits.begin(), run.waits.end(), [&](const model::Wait& wait) {
      if (!run.stuck_lanes[wait.lane] || wait.atoms.empty()) return false;
      const model::Atom& atom = wait.atoms.front();
      const bool marked = std::find(events.begin(), events.end(), atom.posted) != events.end();
      if (atom.kind == model::Atom::partition) return marked;
      return EventRef{wait.rank, wait.index} == events.front() && atom.kind != model::Atom::gathering;
    });
  }

  // Is one of the calls that do not meet on an object that is not there? Nobody can meet it.
  static bool follows_from(const std::vector<Fault>& deadlocks, const Fault& misuse) {
    const auto holds = [](const std::vector<EventRef>& events, EventRef call) {
      return std::find(events.begin(), events.end(), call) != events.end();
    };
    return misuse.no_object && std::any_of(misuse.misused.begin(), misuse.misused.end(), [&](EventRef call) {
             return std::any_of(deadlocks.begin(), deadlocks.end(),
                                [&](const Fault& deadlock) { return holds(deadlock.findings.back().events, call); });
           });
  }

  // NCCL calls that are never launched explain why nobody meets those who wait for them.
  void add_groups(const model::Run& run, std::vector<Fault>& faults) const {
    for (const Decision& group : unlaunched_groups(scenario_, run)) {
      const std::int32_t comm = at(scenario_, group.events.back()).comm;
      for (Fault& fault : faults) {
        Finding& first = fault.findings.front();
        if (std::none_of(first.events.begin(), first.events.end(),
                         [&](EventRef ref) { return at(scenario_, ref).comm == comm; }))
          continue;
        first.evidence.insert(first.evidence.begin(), group.text);
        first.events.insert(first.events.end(), group.events.begin(), group.events.end());
        break;
      }
    }
  }

  std::vector<BufferingLimit> limits_of(const model::Run& run, const std::vector<Fault>& deadlocks,
                                        bool follow_record) const {
    if (options_.buffered) return std::vector<BufferingLimit>(deadlocks.size(), {true, std::nullopt});
    std::vector<MutualWaits> waits;
    for (const Fault& fault : deadlocks) waits.push_back(fault.waits);
    return buffering_limits(scenario_, run, follow_record, waits);
  }

  // What hides a deadlock that the strict reading shows.
  static std::string hidden_where(const BufferingLimit& limit, const Fault& fault) {
    if (!limit.bytes) return "buffered";
    if (*limit.bytes > 0) return fmt::format("{} bytes are buffered", *limit.bytes);
    if (fault.waits.on_streams) return "kernels run side by side";
    return fault.waits.on_windows ? "locks and starts return early" : "collectives leave early";
  }

  void say_assumptions(const model::Run& run, const BufferingLimit& limit, const Fault& fault) {
    auto& said = result_.assumptions;
    if (options_.buffered)
      said.push_back(*options_.buffered == model::kUnlimited
                         ? "judged with all messages buffered"
                         : fmt::format("judged with messages of up to {} bytes buffered", *options_.buffered));
    else if (limit.always)
      said.push_back("holds however much the library buffers");
    else if (!limit.bytes)
      said.push_back("hidden where the library buffers the messages; their sizes are not all recorded");
    else if (*limit.bytes == 0)
      said.push_back(fmt::format("hidden where {}", hidden_where(limit, fault)));
    else
      said.push_back(fmt::format("hidden where messages of {} bytes are buffered: it hangs only beyond the eager limit",
                                 *limit.bytes));
    if (limit.others_hang) said.back() += "; ranks hang all the same then, in another deadlock";
    for (const model::Wait& wait : run.waits)
      if (wait.polls && run.stuck_lanes[wait.lane])
        said.push_back(
            fmt::format("takes the polling loop of rank {} for a wait: it waits for nothing else", wait.rank));
  }

  // Does the first deadlock show in another order, too?
  bool is_there(const model::Run& order) const {
    return !order.stuck.empty() && holds_in(WaitGraph(scenario_, order), first_waits_);
  }

  void say_orders(const model::Run& run) {
    if (run.choices.empty()) return;  // there is one order only
    std::uint64_t stuck = 0, without = 0;
    const auto seen = model::explore(scenario_, {options_.buffered, true}, std::min(max_orders(), kOrdersToCompare),
                                     [&](const model::Run& one) {
                                       stuck += one.stuck.empty() ? 0 : 1;
                                       without += is_there(one) ? 0 : 1;
                                       return !options_.stop.stop_requested();
                                     });
    result_.orders = seen.orders;
    result_.orders_without = without;
    result_.certainty = stuck == seen.orders && seen.complete ? Certainty::proved : Certainty::found;
    if (result_.certainty == Certainty::proved)
      result_.assumptions.push_back(
          seen.orders == 1
              ? "proved: there is one order of matches, grants and competing calls only"
              : fmt::format("proved: in all {} orders of matches, grants and competing calls", seen.orders));
    else if (stuck == seen.orders)
      result_.assumptions.push_back(
          seen.orders == 1
              ? "found in the one order of matches, grants and competing calls that was looked at"
              : fmt::format("found in each of {} orders of matches, grants and competing calls that were looked at",
                            seen.orders));
    else
      result_.assumptions.push_back(fmt::format(
          "found in some orders of matches, grants and competing calls: in {} of {} looked at", stuck, seen.orders));
  }

  // A fault that only some matches of free wildcards or grants of locks show. Where the record says what matched, the
  // calls that followed belong to that match, and another one proves nothing.
  void judge_other_orders(const model::Run& actual, bool for_deadlocks_only) {
    if (actual.choices.empty()) return;
    const model::Assumptions assumptions{options_.buffered, true};
    const auto seen = model::explore(scenario_, assumptions, max_orders(), [&](const model::Run& run) {
      if (options_.stop.stop_requested()) return false;
      if (add_deadlocks(run, true, false)) {
        mark_blocked(run);
        return false;
      }
      if (for_deadlocks_only) return true;
      for (const Fault& fault : find_mismatches(scenario_, run)) add(Verdict::mismatch, fault);
      if (!result_.findings.empty()) return false;
      if (const auto fault = find_race(scenario_, run, discarded_)) add(Verdict::race, *fault);
      return result_.findings.empty();
    });
    result_.orders = seen.orders;
    if (!result_.findings.empty()) {
      result_.certainty = Certainty::found;
      result_.orders_without = std::max<std::uint64_t>(seen.orders - 1, 1);  // the recorded or first one is clean
      result_.assumptions.push_back(
          fmt::format("found in some orders of matches, grants and competing calls: the {} looked at shows it",
                      ordinal_text(static_cast<std::int64_t>(seen.orders) - 1)));
    } else if (!seen.complete && !for_deadlocks_only) {
      result_.certainty = Certainty::not_found;
      result_.notes.push_back(
          fmt::format("no failure found within {} order{} of matches, grants and competing calls; there are more",
                      seen.orders, seen.orders == 1 ? "" : "s"));
    }
  }

  void judge_unsettled(const model::Run& actual) {
    if (const auto fault = find_unsettled(scenario_, actual)) return add(fault->findings.front().kind, *fault);
    if (const auto fault = find_gaps(scenario_, actual)) add(Verdict::ambiguous, *fault);
  }

  const Scenario& scenario_;
  const DiagnoseOptions& options_;
  Diagnosis result_;
  std::set<std::string> said_;
  bool only_swaps_ = false;  // nothing was found before call sites that pair crosswise
  MutualWaits first_waits_;  // of the first deadlock
  std::pair<const model::Run*, std::vector<Fault>> misused_{};  // calls of the run as it was recorded
  std::vector<std::string> discarded_;
};

}  // namespace
}  // namespace diagnosis

std::string_view name_of(Certainty certainty) {
  switch (certainty) {
    case Certainty::proved: return "proved";
    case Certainty::found: return "found";
    case Certainty::not_found: break;
  }
  return "not found";
}

bool is_failure(const Diagnosis& diagnosis) {
  if (diagnosis.verdict == Verdict::ambiguous)
    return !diagnosis.findings.empty() && !diagnosis.findings.front().culprits.empty();
  return diagnosis.verdict != Verdict::completes;
}

bool has_failure(const Diagnosis& diagnosis, std::string_view signature) {
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [&](const Finding& finding) { return finding.signature == signature; });
}

std::string text_of_lost_events(const Scenario& scenario) {
  std::uint64_t most = 0;
  std::size_t ranks = 0, worst = 0;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    const std::uint64_t dropped = scenario.ranks[rank].end.dropped;
    if (dropped == 0) continue;
    ++ranks;
    if (dropped > most) most = dropped, worst = rank;
  }
  if (ranks == 0) return {};
  const std::string others =
      ranks == 1 ? "" : fmt::format(" (and some of {} other{})", ranks - 1, ranks == 2 ? "" : "s");
  return fmt::format("the first {} event{} of rank {} {} overwritten{}", most, most == 1 ? "" : "s", worst,
                     most == 1 ? "was" : "were", others);
}

Diagnosis diagnose(const Scenario& scenario, const DiagnoseOptions& options) {
  // "An abort behind an unavoidable deadlock does not count": neither does the kill of a job that hung.
  if (const auto hung = diagnosis::hung_before_kill(scenario, {options.buffered, true})) {
    Diagnosis before = diagnosis::Judge(*hung, options).judge();
    if (before.verdict != Verdict::rank_error && !before.findings.empty()) {
      before.findings.front().evidence.push_back(diagnosis::kill_text(scenario));
      return before;
    }
  }
  return diagnosis::Judge(scenario, options).judge();
}

}  // namespace petri
