#include "harness/diagnose/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/model/explore.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

class Notes {
 public:
  Notes(const Scenario& scenario, const DiagnoseOptions& options, Diagnosis& result)
      : scenario_(scenario), options_(options), result_(result) {}

  void add(const model::Run& actual, std::uint64_t orders) {
    weigh_streams(actual, orders);
    weigh_enqueued();
    weigh_losses();
    for (std::string& leak : leaks(scenario_, actual)) result_.notes.push_back(std::move(leak));
    std::size_t calls = 0, without_site = 0;
    for (const RankTrace& rank : scenario_.ranks)
      for (const Event& event : rank.events)
        if (kind_of(event.op) == OpKind::collective) ++calls, without_site += event.site == kNoSymbol;
    if (result_.verdict == Verdict::completes && without_site > 0)
      result_.notes.push_back(
          "call sites are missing: collectives with equal arguments that are called in swapped order would not be "
          "seen");
    if (result_.verdict == Verdict::completes && actual.leaned_on_record)
      result_.notes.push_back("some calls returned earlier than the strict reading lets them");
    const auto& observed = scenario_.header.observed;
    if (result_.verdict == Verdict::completes && observed && observed->verdict &&
        *observed->verdict != Verdict::completes)
      result_.notes.push_back(fmt::format(
          "{} was observed, but the recorded schedules agree on every field: it is not a fault of the schedule",
          name_of(*observed->verdict)));
    if (result_.verdict == Verdict::completes) return;
    std::set<std::string_view> unjudged;
    for (const EventRef ref : actual.unmodelled) unjudged.insert(name_of(at(scenario_, ref).op));
    for (const std::string_view op : unjudged)
      result_.notes.push_back(fmt::format("{} was taken to return at once: it is not judged by this version", op));
  }

 private:
  // Kernels on several streams of a device are judged in the order in which the host enqueued them. Another order that
  // would block is no fault of the schedule, but worth knowing.
  void weigh_streams(const model::Run& actual, std::uint64_t orders) {
    if (result_.verdict != Verdict::completes && result_.verdict != Verdict::ambiguous) return;
    std::set<std::pair<std::int32_t, std::int32_t>> devices;
    const bool several = std::any_of(actual.lanes.begin(), actual.lanes.end(), [&](const model::Lane& lane) {
      return lane.is_stream() && !devices.emplace(lane.rank, lane.device).second;
    });
    if (!several || options_.buffered) return;
    std::string blocked;
    const auto seen = model::explore(scenario_, {options_.buffered, true, true}, orders,
                                     [&](const model::Run& run) { return (blocked = blocked_kernel(run)).empty(); });
    if (blocked.empty() && seen.complete) return;
    if (result_.certainty == Certainty::proved) result_.certainty = Certainty::not_found;
    if (blocked.empty())
      result_.notes.push_back(
          fmt::format("kernels on several streams of a device: none of {} orders that were looked at blocks; there are "
                      "more",
                      seen.orders));
    else
      result_.notes.push_back(
          fmt::format("judged with kernels in the order in which they were enqueued, which nothing enforces between "
                      "streams: in another one {}; one stream, or an event between them, would bind it",
                      blocked));
  }

  // Calls that a device was seen to get past prove no order. But where ranks enqueue them in orders that would block,
  // had each been waited for before the next, it went well only since the device ran several at a time.
  void weigh_enqueued() {
    if (result_.verdict != Verdict::completes && result_.verdict != Verdict::ambiguous) return;
    if (options_.buffered || !any_enqueued_and_over()) return;
    const std::vector<Fault> faults = find_deadlocks(scenario_, model::run(scenario_, {std::nullopt, false}));
    if (!faults.empty())
      result_.notes.push_back(fmt::format(
          "the order of calls that are over is held against nobody, but had each been waited for before the "
          "next one, they would block: {}",
          faults.front().findings.front().text));
  }

  bool any_enqueued_and_over() const {
    return std::any_of(scenario_.ranks.begin(), scenario_.ranks.end(), [&](const RankTrace& rank) {
      return std::any_of(rank.events.begin(), rank.events.end(), [&](const Event& event) {
        return event.state == EventState::completed && model::is_enqueued_somewhere(scenario_, event);
      });
    });
  }

  // A kernel that finds its device taken for ever by one of another stream; empty where there is none.
  std::string blocked_kernel(const model::Run& run) const {
    for (const model::Wait& wait : run.waits) {
      const model::Lane& lane = run.lanes[wait.lane];
      if (!lane.is_stream() || !run.stuck_lanes[wait.lane]) continue;
      for (const model::Atom& atom : wait.atoms)
        if (atom.kind == model::Atom::stream && run.lanes[atom.number].device == lane.device)
          return fmt::format("{} of rank {} waits for the device, which the kernel on stream {} holds",
                             event_text(scenario_, {wait.rank, wait.index}), wait.rank, run.lanes[atom.number].stream);
    }
    return run.stuck.empty() ? "" : "some ranks block";
  }

  // Nobody knows what the lost events would have shown.
  void weigh_losses() {
    const std::string lost = text_of_lost_events(scenario_);
    if (result_.verdict != Verdict::completes || lost.empty()) return;
    result_.certainty = Certainty::not_found;
    result_.notes.push_back(lost + ": what they did is not judged; a larger ring keeps them");
  }

  const Scenario& scenario_;
  const DiagnoseOptions& options_;
  Diagnosis& result_;
};

}  // namespace

void add_notes(const Scenario& scenario, const DiagnoseOptions& options, const model::Run& run, std::uint64_t orders,
               Diagnosis& result) {
  Notes(scenario, options, result).add(run, orders);
}

}  // namespace petri::diagnosis
