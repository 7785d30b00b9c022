#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/diagnosis.hpp"
#include "harness/report/text.hpp"
#include "harness/trace/counted.hpp"

namespace petri {
namespace {

constexpr std::size_t kMostStates = 24;  // groups of blocked ranks that are listed
constexpr std::size_t kMostEvents = 8;   // events of a finding that are listed
constexpr std::size_t kLabelWidth = 11;

// Where the scenario's ranks were renumbered, the reader looks for the job's own.
std::string with_origin(const Scenario& scenario, const std::vector<std::int32_t>& ranks) {
  std::string out = ranks_in_words(ranks);
  if (!scenario.header.origin || scenario.header.origin->ranks.empty()) return out;
  std::vector<std::int32_t> original;
  for (const std::int32_t rank : ranks)
    if (rank >= 0 && rank < scenario.world())
      original.push_back(scenario.header.origin->ranks[static_cast<std::size_t>(rank)]);
  std::sort(original.begin(), original.end());
  return original == ranks ? out : fmt::format("{} ({} of the original job)", out, ranks_in_words(original));
}

void put(std::string& out, std::string_view label, std::string_view text) {
  if (!text.empty()) out += fmt::format("  {:<{}}{}\n", label, kLabelWidth, printable_line(text));
}

std::string place_text(const Scenario& scenario, EventRef ref) {
  const Event* event = event_of(scenario, ref);
  if (event == nullptr) return "finalize, after its last recorded event";
  std::string out = describe(scenario, *event, ref.rank);
  if (event->step != kUnset) out += fmt::format(", step {}", event->step);
  if (event->microbatch != kUnset) out += fmt::format(", microbatch {}", event->microbatch);
  if (event->site != kNoSymbol) out += fmt::format(", at {}", scenario.site_of(*event));
  return out;
}

std::string numbered(const Scenario& scenario, EventRef ref) {
  const Event* event = event_of(scenario, ref);
  return event != nullptr ? fmt::format("rank {}, event {}", ref.rank, event->seq) : fmt::format("rank {}", ref.rank);
}

std::string first_line(const Diagnosis& diagnosis, const Scenario& scenario) {
  const std::string verdict(name_of(diagnosis.verdict));
  if (diagnosis.verdict == Verdict::completes)
    return fmt::format("{}: nothing wrong in {} of {}{}\n", verdict, counted(scenario.event_count(), "event"),
                       counted(static_cast<std::uint64_t>(scenario.world()), "rank"),
                       text_of_lost_events(scenario).empty() ? "" : ", and others were lost");
  if (diagnosis.findings.empty()) return fmt::format("{}\n", verdict);
  const auto& culprits = diagnosis.findings.front().culprits;
  if (culprits.empty()) return fmt::format("{}: the record names no culprit\n", verdict);
  if (culprits.size() == static_cast<std::size_t>(scenario.world()) && culprits.size() > 1)
    return fmt::format("{}: {} ranks take part\n", verdict,
                       culprits.size() == 2 ? "both" : fmt::format("all {}", culprits.size()));
  const bool decided = diagnosis.verdict != Verdict::ambiguous;
  return fmt::format("{}: {} {}\n", verdict, decided ? "begun by" : "what is known points at",
                     with_origin(scenario, culprits));
}

void put_finding(std::string& out, const Scenario& scenario, const Finding& finding) {
  put(out, "expected", finding.expected);
  if (finding.text.find(finding.actual) == std::string::npos) put(out, "actual", finding.actual);
  const std::size_t shown = std::min(finding.events.size(), kMostEvents);
  for (std::size_t i = 0; i < shown; ++i) {
    const EventRef ref = finding.events[i];
    put(out, i == 0 ? "events" : "", fmt::format("{}: {}", numbered(scenario, ref), place_text(scenario, ref)));
  }
  if (shown < finding.events.size()) put(out, "", fmt::format("and {} more", finding.events.size() - shown));
  for (std::size_t i = 0; i < finding.evidence.size(); ++i) put(out, i == 0 ? "evidence" : "", finding.evidence[i]);
}

void put_blocked(std::string& out, const Diagnosis& diagnosis, const Scenario& scenario) {
  std::map<std::string, std::vector<std::int32_t>> states;
  for (std::size_t rank = 0; rank < diagnosis.blocked.size(); ++rank)
    if (const auto index = diagnosis.blocked[rank])
      states[place_text(scenario, {static_cast<std::int32_t>(rank), *index})].push_back(
          static_cast<std::int32_t>(rank));
  if (states.empty()) return;
  // The state of the lowest rank first.
  std::vector<std::pair<std::vector<std::int32_t>, std::string>> rows;
  for (auto& [state, ranks] : states) rows.emplace_back(std::move(ranks), state);
  std::sort(rows.begin(), rows.end());
  out += "\nBlocked\n";
  for (std::size_t i = 0; i < rows.size() && i < kMostStates; ++i)
    out += fmt::format("  {} in {}\n", ranks_in_words(rows[i].first), printable_line(rows[i].second));
  if (rows.size() > kMostStates) out += fmt::format("  and ranks in {} other places\n", rows.size() - kMostStates);
}

void put_list(std::string& out, std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out += fmt::format("\n{}\n", title);
  for (const std::string& item : items) out += fmt::format("  - {}\n", printable_line(item));
}

}  // namespace

std::string render_text(const Diagnosis& diagnosis, const Scenario& scenario) {
  std::string out = first_line(diagnosis, scenario);
  if (scenario.cut) out += "The file stops before its end line: what follows it is unknown.\n";
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const Finding& finding = diagnosis.findings[i];
    if (i == 0)
      out += printable_line(finding.text) + '\n';
    else
      out += fmt::format("\nAlso, {}: {}\n", name_of(finding.kind), printable_line(finding.text));
    put_finding(out, scenario, finding);
  }
  put_blocked(out, diagnosis, scenario);
  put_list(out, "Assuming", diagnosis.assumptions);
  put_list(out, "Notes", diagnosis.notes);
  if (!diagnosis.signature.empty()) out += fmt::format("\nSignature: {}\n", printable_line(diagnosis.signature));
  return out;
}

}  // namespace petri
