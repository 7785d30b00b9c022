#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

// How a message that might have come differs from the one that did, beyond its source; empty when it does not.
std::string difference(const Event& taken, const Event& other, bool sized_by_probe) {
  const model::Half one = model::send_half(taken), two = model::send_half(other);
  if (one.tag != two.tag) return "tag";
  if (sized_by_probe) return "";  // the receive takes exactly the message that was probed
  if (one.count >= 0 && two.count >= 0 && one.count != two.count) return "count";
  if (one.dtype != ElementType::unknown && two.dtype != ElementType::unknown && one.dtype != two.dtype) return "dtype";
  return "";
}

Fault fault_of(const Scenario& scenario, const model::Wildcard& wildcard, EventRef other, const std::string& what) {
  const EventRef taken = wildcard.candidates[wildcard.chosen];
  Finding finding;
  finding.kind = Verdict::race;
  finding.culprits = {wildcard.recv.rank};
  finding.events = {wildcard.recv, taken, other};
  finding.expected = fmt::format("rank {}: {}", taken.rank, event_text(scenario, taken));
  finding.actual = fmt::format("rank {}: {}", other.rank, event_text(scenario, other));
  finding.text =
      fmt::format("Rank {} takes whatever comes first in {} ({}): {}, or {}; the {} depends on it.", wildcard.recv.rank,
                  event_text(scenario, wildcard.recv), place_text(at(scenario, wildcard.recv)), finding.expected,
                  finding.actual, what == "dtype" ? "element type" : what);
  std::vector<std::int32_t> senders;
  for (const EventRef candidate : wildcard.candidates) senders.push_back(candidate.rank);
  finding.evidence.push_back(fmt::format("messages of {} could match it", ranks_text(senders)));
  return {{finding}, fmt::format("{}@0 {}", name_of(at(scenario, wildcard.recv).op), what)};
}

}  // namespace

std::optional<Fault> find_race(const Scenario& scenario, const model::Run& run, std::vector<std::string>& notes) {
  std::size_t harmless = 0;
  for (const model::Wildcard& wildcard : run.wildcards) {
    const Event& taken = at(scenario, wildcard.candidates[wildcard.chosen]);
    for (const EventRef candidate : wildcard.candidates) {
      const bool sized_by_probe = kind_of(at(scenario, wildcard.recv).op) == OpKind::probe;
      const std::string what = difference(taken, at(scenario, candidate), sized_by_probe);
      if (!what.empty()) return fault_of(scenario, wildcard, candidate, what);
    }
    if (wildcard.candidates.size() > 1) ++harmless;
  }
  if (harmless > 0)
    notes.push_back(fmt::format(
        "{} wildcard receives could have taken a like message of another rank (only the source changes)", harmless));
  return std::nullopt;
}

}  // namespace petri::diagnosis
