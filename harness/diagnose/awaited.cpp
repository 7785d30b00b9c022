#include "harness/diagnose/awaited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "harness/diagnose/describe.hpp"

namespace petri::diagnosis {

using model::Atom;

std::set<std::int32_t> awaited_by(const model::Run& run, const model::Wait& wait) {
  std::set<std::int32_t> awaited;
  for (const Atom& atom : wait.atoms) {
    if (atom.kind == Atom::gathering) {
      const model::Gathering& gathering = run.gatherings[atom.number];
      const auto& members = run.gatherings.members(gathering);
      for (std::size_t member = 0; member < members.size(); ++member)
        if (gathering.arrivals[member] == model::kAbsent) awaited.insert(members[member]);
    } else if (atom.kind == Atom::finalize) {
      for (std::size_t rank = 0; rank < run.standing.size(); ++rank) awaited.insert(static_cast<std::int32_t>(rank));
    } else if (atom.peer != kAny) {
      awaited.insert(atom.peer);
    } else {
      const auto& members = run.gatherings.ranks_of(atom.comm);
      awaited.insert(members.begin(), members.end());
    }
  }
  return awaited;
}

std::set<std::int32_t> awaited_ranks(const model::Run& run) {
  std::set<std::int32_t> awaited;
  for (const model::Wait& wait : run.waits) awaited.merge(awaited_by(run, wait));
  return awaited;
}

std::optional<EventRef> call_of(const Scenario& scenario, const model::Wait& wait) {
  if (wait.index >= scenario.ranks[static_cast<std::size_t>(wait.rank)].events.size()) return std::nullopt;
  return EventRef{wait.rank, wait.index};
}

std::string_view op_of(const Scenario& scenario, const model::Wait& wait) {
  const auto call = call_of(scenario, wait);
  return name_of(call ? at(scenario, *call).op : Op::finalize);
}

std::string capitalized(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string waiters_text(const Scenario& scenario, const std::vector<model::Wait>& waits) {
  std::vector<std::int32_t> ranks;
  for (const model::Wait& wait : waits) ranks.push_back(wait.rank);
  const auto call = call_of(scenario, waits.front());
  return fmt::format("{} {} in {}", ranks_text(ranks), ranks.size() > 1 ? "wait" : "waits",
                     call ? event_text(scenario, *call) : "finalize");
}

std::vector<model::Wait> nearest_waits(const Scenario& scenario, const model::Run& run,
                                       const std::vector<std::int32_t>& late) {
  std::map<std::pair<std::size_t, std::string_view>, std::vector<model::Wait>> by_others;
  for (const model::Wait& wait : run.waits) {
    const std::set<std::int32_t> awaited = awaited_by(run, wait);
    const auto own =
        std::count_if(late.begin(), late.end(), [&](std::int32_t rank) { return awaited.count(rank) != 0; });
    if (own != 0) by_others[{awaited.size() - static_cast<std::size_t>(own), op_of(scenario, wait)}].push_back(wait);
  }
  return by_others.begin()->second;
}

}  // namespace petri::diagnosis
