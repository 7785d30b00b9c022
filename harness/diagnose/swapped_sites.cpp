#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/diagnose/arguments.hpp"
#include "harness/diagnose/blame.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {
namespace {

using Meetings = std::vector<const model::Gathering*>;  // by position

// Two call sites whose calls meet on a communicator.
struct SitePair {
  std::int32_t venue;
  std::uint32_t low, high;  // sites
  std::int32_t root;        // a root calls from its own line: where it changes, so may the sites
  auto operator<=>(const SitePair&) const = default;
};

// Collectives of equal calls that all members came to, by the call sites that met.
class SiteMeetings {
 public:
  SiteMeetings(const Scenario& scenario, const model::Run& run) : scenario_(scenario), run_(run) {
    for (const model::Gathering& gathering : run.gatherings.all())
      if (gathering.start_of == model::kNoGathering && !gathering.conflicted) see(gathering);
    for (auto& [pair, meetings] : mixed_)
      std::stable_sort(meetings.begin(), meetings.end(),
                       [](const auto* a, const auto* b) { return a->position < b->position; });
  }

  // The first meeting of each two in which the same members change places.
  Meetings swaps(bool also_shifted) const {
    Meetings swaps;
    for (const auto& [pair, meetings] : mixed_)
      for (std::size_t next = 1; next < meetings.size(); ++next) {
        const model::Gathering &earlier = *meetings[next - 1], &later = *meetings[next];
        const bool adjacent = later.position - earlier.position == 1;
        if (!cross(earlier, later) || !((also_shifted && adjacent) || is_slip(pair, meetings, adjacent))) continue;
        swaps.push_back(&earlier);
        ++next;
      }
    std::stable_sort(swaps.begin(), swaps.end(), [](const auto* a, const auto* b) {
      return std::pair(a->position, a->venue) < std::pair(b->position, b->venue);
    });
    return swaps;
  }

 private:
  void see(const model::Gathering& gathering) {
    std::map<std::uint32_t, EventRef> sites;
    const auto& members = run_.gatherings.members(gathering);
    for (std::size_t member = 0; member < members.size(); ++member) {
      const std::uint32_t arrival = gathering.arrivals[member];
      if (arrival == model::kAbsent || arrival == model::kBefore) return;
      const EventRef ref{members[member], arrival};
      if (at(scenario_, ref).site == kNoSymbol) return;
      sites.try_emplace(at(scenario_, ref).site, ref);
      if (sites.size() > 2) return;
    }
    if (sites.size() == 1) ++alone_[{gathering.venue, sites.begin()->first}];
    if (sites.size() != 2) return;
    const auto& [low, ref] = *sites.begin();
    if (!clashes(scenario_, run_, gathering).empty()) return;
    mixed_[{gathering.venue, low, sites.rbegin()->first, at(scenario_, ref).root}].push_back(&gathering);
  }

  // Does every member come to the later one from the other of the two sites? Where it is another member that stands
  // alone, a role moved among the ranks.
  bool cross(const model::Gathering& earlier, const model::Gathering& later) const {
    const auto& members = run_.gatherings.members(earlier);
    for (std::size_t member = 0; member < members.size(); ++member) {
      const auto then = run_.gatherings.member_index(later, members[member]);
      if (then < 0) return false;
      const EventRef one{members[member], earlier.arrivals[member]};
      const EventRef other{members[member], later.arrivals[static_cast<std::size_t>(then)]};
      if (at(scenario_, one).site == at(scenario_, other).site) return false;
    }
    return true;
  }

  // Call sites are usually met by themselves; a slip is rare among such meetings. Where there are none, two calls in a
  // row that meet crosswise once are still a slip, and so are those of one member that several others contradict.
  bool is_slip(const SitePair& pair, const Meetings& mixed, bool adjacent) const {
    const std::size_t low = times_alone(pair.venue, pair.low), high = times_alone(pair.venue, pair.high);
    const bool usually_alone = low > 0 && high > 0;
    if (mixed.size() > 2) return usually_alone && low + high >= mixed.size();
    return adjacent || usually_alone || run_.gatherings.members(*mixed.front()).size() > 2;
  }

  std::size_t times_alone(std::int32_t venue, std::uint32_t site) const {
    const auto found = alone_.find({venue, site});
    return found == alone_.end() ? 0 : found->second;
  }

  const Scenario& scenario_;
  const model::Run& run_;
  std::map<SitePair, Meetings> mixed_;
  std::map<std::pair<std::int32_t, std::uint32_t>, std::size_t> alone_;  // by venue and site
};

Fault fault_of(const Scenario& scenario, const model::Run& run, const model::Gathering& earlier,
               const Precedents& precedents) {
  const auto& members = run.gatherings.members(earlier);
  Clash clash{"site", {}};
  for (std::size_t member = 0; member < members.size(); ++member) {
    const EventRef ref{members[member], earlier.arrivals[member]};
    const std::string& site = scenario.site_of(at(scenario, ref));
    const auto found =
        std::find_if(clash.sides.begin(), clash.sides.end(), [&](const auto& side) { return side.value == site; });
    if (found == clash.sides.end())
      clash.sides.push_back({site, {ref}});
    else
      found->events.push_back(ref);
  }
  const Blame who = blame(scenario, run, earlier, clash, precedents);
  Finding finding;
  finding.kind = Verdict::mismatch;
  finding.culprits = who.culprits;
  finding.events = who.events;
  finding.expected = fmt::format("{}: {}", ranks_text(who.sides[0].ranks), who.sides[0].text);
  finding.actual = fmt::format("{}: {}", ranks_text(who.sides[1].ranks), who.sides[1].text);
  finding.text = fmt::format(
      "Two collectives on {} are called in swapped order: {}, but {}; the same two call sites pair the other way round "
      "later.",
      name_of(scenario, run.gatherings.venue_of(earlier)), finding.actual, finding.expected);
  finding.evidence.push_back(
      "operations and arguments agree: it completes with mixed results, and only the call sites show it");
  return {{finding}, fmt::format("{}@0 sites crosswise", name_of(at(scenario, clash.sides.front().events.front()).op))};
}

}  // namespace

std::vector<Fault> find_swapped_sites(const Scenario& scenario, const model::Run& run, bool also_shifted) {
  std::vector<Fault> faults;
  const Meetings swaps = SiteMeetings(scenario, run).swaps(also_shifted);
  if (swaps.empty()) return faults;
  const Precedents precedents(scenario);
  for (const model::Gathering* earlier : swaps) faults.push_back(fault_of(scenario, run, *earlier, precedents));
  return faults;
}

}  // namespace petri::diagnosis
