#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/in_progress.hpp"
#include "harness/diagnose/signature.hpp"
#include "harness/diagnose/wait_graph.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

// A watchdog that gives up on a waiting call reports the symptom, not an error of its rank.
bool is_watchdog(const std::string& error) {
  std::string lower(error);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find("timeout") != std::string::npos || lower.find("timed out") != std::string::npos ||
         lower.find("time-out") != std::string::npos || lower.find("watchdog") != std::string::npos;
}

struct ErrorSite {
  EventRef at;
  bool has_event = false;
  std::string kind;  // "signal 9", "abort", "exit", "error"
  std::string text;
  bool reported = false;  // an error is known, which tells more than how the rank ended
  bool operator<(const ErrorSite& other) const { return at < other.at; }
};

std::string end_form(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  const RankTrace& trace = scenario.ranks[static_cast<std::size_t>(rank)];
  const std::uint32_t index = run.index[static_cast<std::size_t>(rank)];
  if (trace.end.kind == EndKind::signal)
    return trace.end.signal > 0 ? fmt::format("signal {}", trace.end.signal) : "signal";
  const bool aborts =
      trace.end.kind == EndKind::aborted || (index < trace.events.size() && trace.events[index].op == Op::abort);
  return aborts ? "abort" : "exit";
}

std::string end_text(const std::string& form) {
  if (form == "abort") return "aborted";
  if (form == "exit") return "exited without finalize";
  return form == "signal" ? "was killed by a signal" : "was killed by " + form;
}

// The event that a dead rank died in or after; nothing when it made no call.
std::optional<EventRef> last_place(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
  if (events.empty()) return std::nullopt;
  const auto last =
      std::min<std::uint32_t>(run.index[static_cast<std::size_t>(rank)], static_cast<std::uint32_t>(events.size() - 1));
  return EventRef{rank, last};
}

// An argument that no library accepts is the caller's own error, whatever the other ranks do at that place. The error
// is its class, which a colon and its meaning may follow.
bool is_argument_error(std::string_view error) {
  constexpr std::string_view kClasses[] = {"MPI_ERR_BUFFER", "MPI_ERR_COUNT", "MPI_ERR_TYPE",   "MPI_ERR_TAG",
                                           "MPI_ERR_COMM",   "MPI_ERR_RANK",  "MPI_ERR_ROOT",   "MPI_ERR_GROUP",
                                           "MPI_ERR_OP",     "MPI_ERR_ARG",   "MPI_ERR_REQUEST"};
  return std::find(std::begin(kClasses), std::end(kClasses), error.substr(0, error.find(':'))) != std::end(kClasses);
}

// An abort that has an error stands for a call that is not in the record: the error names it.
std::string error_said(const Scenario& scenario, const Event& event) {
  if (event.op != Op::abort)
    return fmt::format("reported \"{}\" in {}", event.extras.error(), event_text(scenario, event));
  const std::string& site = scenario.site_of(event);
  return fmt::format("ended with \"{}\"{}{}", event.extras.error(), site.empty() ? "" : " at ", site);
}

// A misuse explains what comes of the misused call, not of the calls before that are evidence for it.
bool is_misused(EventRef place, const std::vector<Fault>& causes) {
  return std::any_of(causes.begin(), causes.end(), [&](const Fault& fault) {
    return std::find(fault.misused.begin(), fault.misused.end(), place) != fault.misused.end();
  });
}

bool explained(EventRef place, const std::vector<Fault>& causes) {
  if (is_misused(place, causes)) return true;
  for (const Fault& fault : causes)
    for (const Finding& finding : fault.findings)
      if (finding.kind != Verdict::misuse &&
          std::find(finding.events.begin(), finding.events.end(), place) != finding.events.end())
        return true;
  return false;
}

// All members of a mismatching gathering, not only those that a finding points at.
bool is_faulty_call(const model::Run& run, EventRef place, const std::vector<Fault>& causes) {
  if (explained(place, causes)) return true;
  for (const model::Gathering& gathering : run.gatherings.all()) {
    const auto member = run.gatherings.member_index(gathering, place.rank);
    if (member < 0 || gathering.arrivals[static_cast<std::size_t>(member)] != place.index) continue;
    if (gathering.conflicted) return true;
    const auto& members = run.gatherings.members(gathering);
    for (std::size_t other = 0; other < members.size(); ++other)
      if (gathering.arrivals[other] < model::kBefore && explained({members[other], gathering.arrivals[other]}, causes))
        return true;
  }
  return false;
}

// A launcher ends the whole job when one rank reports a failure by its exit status, also ranks that are still in
// finalize.
bool some_exit_failed(const Scenario& scenario) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(),
                     [](const RankTrace& rank) { return rank.end.kind == EndKind::finalized && rank.end.status != 0; });
}

std::vector<ErrorSite> error_sites(const Scenario& scenario, const model::Run& run, const std::vector<Fault>& causes) {
  std::vector<ErrorSite> sites;
  const bool failed_exit = some_exit_failed(scenario);
  const bool by_faulty_call = ended_by_faulty_call(scenario, run, causes);
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto slot = static_cast<std::size_t>(rank);
    const auto& events = scenario.ranks[slot].events;
    bool erred = false, misused = false;
    for (std::uint32_t index = 0; index < events.size() && index <= run.index[slot]; ++index) {
      const std::string& error = events[index].extras.error();
      if (error.empty() || is_watchdog(error)) continue;
      const EventRef place{rank, index};
      if ((misused = is_misused(place, causes))) break;
      if (!is_argument_error(error) && in_faulty_call(scenario, run, place, causes)) continue;
      const bool ended_it = index + 1 == events.size() && scenario.ranks[slot].end.kind == EndKind::aborted;
      sites.push_back({place, true, ended_it ? "abort" : "error", error_said(scenario, events[index]), true});
      erred = true;
      break;
    }
    if (erred || misused || run.standing[slot] != model::Standing::dead) continue;
    const auto place = last_place(scenario, run, rank);
    const bool inside = place && events[place->index].state == EventState::started;
    if (by_faulty_call || (inside && events[place->index].op == Op::finalize && failed_exit)) continue;
    const std::string form = end_form(scenario, run, rank);
    std::string text = end_text(form);
    if (place)
      text += fmt::format(" {} {} ({})", inside ? "inside" : "after", event_text(scenario, events[place->index]),
                          place_text(events[place->index]));
    sites.push_back({place.value_or(EventRef{rank, 0}), place.has_value(), form, text});
  }
  return sites;
}

// Of those that wait for the erring ranks, the canonical first: what the error does to others.
std::string consequence(const Scenario& scenario, const model::Run& run, Finding& finding) {
  const WaitGraph graph(scenario, run);
  std::string best;
  for (const Component& component : graph.components()) {
    if (component.terminal == Terminal::none || component.terminal == Terminal::finalize) continue;
    const std::string form = canonical_form(graph, component);
    if (best.empty() || form < best) best = form;
    const Node& node = graph.nodes()[component.nodes.front()];
    finding.evidence.push_back(fmt::format("{} blocked in {}, waiting for {}", ranks_text(node.ranks),
                                           event_text(scenario, node.at), ranks_text(component.ranks)));
    finding.events.push_back(node.at);
  }
  return best;
}

}  // namespace

bool in_faulty_call(const Scenario& scenario, const model::Run& run, EventRef place, const std::vector<Fault>& causes) {
  const std::vector<EventRef> calls = calls_in_progress(scenario, place);
  return std::any_of(calls.begin(), calls.end(), [&](EventRef call) { return is_faulty_call(run, call, causes); });
}

bool ended_by_faulty_call(const Scenario& scenario, const model::Run& run, const std::vector<Fault>& causes) {
  if (causes.empty()) return false;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    if (events.empty() || (events.back().state != EventState::started && events.back().extras.error().empty()))
      continue;
    const EventRef last{rank, static_cast<std::uint32_t>(events.size() - 1)};
    if (in_faulty_call(scenario, run, last, causes)) return true;
  }
  return false;
}

std::optional<Fault> find_rank_error(const Scenario& scenario, const model::Run& run,
                                     const std::vector<Fault>& causes) {
  const std::vector<ErrorSite> sites = error_sites(scenario, run, causes);
  if (sites.empty()) return std::nullopt;
  // An error that a rank reported tells more than how a rank ended.
  const auto reported = std::find_if(sites.begin(), sites.end(), [](const ErrorSite& site) { return site.reported; });
  const ErrorSite& first = reported == sites.end() ? sites.front() : *reported;
  Finding finding;
  finding.kind = Verdict::rank_error;
  for (const ErrorSite& site : sites) {
    if (site.reported != first.reported || (!site.reported && site.kind != first.kind)) {
      finding.evidence.push_back(fmt::format("rank {} {}", site.at.rank, site.text));
      continue;
    }
    finding.culprits.push_back(site.at.rank);
    if (site.has_event) finding.events.push_back(site.at);
  }
  finding.expected = "finalize";
  finding.actual = fmt::format("rank {} {}", first.at.rank, first.text);
  finding.text = fmt::format("Rank {} {}.", first.at.rank, first.text);
  if (finding.culprits.size() > 1)
    finding.evidence.insert(finding.evidence.begin(), fmt::format("the same for {}", ranks_text(finding.culprits)));
  std::string form = first.kind;
  if (const std::string others = consequence(scenario, run, finding); !others.empty())
    form += fmt::format("; {}", others);
  return Fault{{finding}, form};
}

std::optional<Fault> find_failed_exit(const Scenario& scenario, const model::Run& run) {
  Finding finding;
  finding.kind = Verdict::rank_error;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto slot = static_cast<std::size_t>(rank);
    const RankTrace& trace = scenario.ranks[slot];
    if (run.standing[slot] != model::Standing::finished || trace.end.status == 0) continue;
    finding.culprits.push_back(rank);
    if (!trace.events.empty()) finding.events.push_back({rank, static_cast<std::uint32_t>(trace.events.size() - 1)});
  }
  if (finding.culprits.empty()) return std::nullopt;
  const std::int32_t first = finding.culprits.front();
  finding.expected = "status 0";
  finding.actual = fmt::format("status {}", scenario.ranks[static_cast<std::size_t>(first)].end.status);
  finding.text = fmt::format(
      "Rank {} ended with {} after finalize: the program reports a failure of its own, its communication is in order.",
      first, finding.actual);
  if (finding.culprits.size() > 1)
    finding.evidence.push_back(fmt::format("the same for {}", ranks_text(finding.culprits)));
  return Fault{{finding}, "exit status"};
}

}  // namespace petri::diagnosis
