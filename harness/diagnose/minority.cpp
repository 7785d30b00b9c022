#include "harness/diagnose/minority.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/habit.hpp"

namespace petri::diagnosis {
namespace {

bool waits_for_collectives_only(const WaitGraph& graph, const Component& component) {
  return std::all_of(component.nodes.begin(), component.nodes.end(), [&](std::uint32_t node) {
    const auto& links = graph.nodes()[node].links;
    return std::none_of(links.begin(), links.end(), [](const Link& link) { return link.kind == model::Atom::message; });
  });
}

std::vector<std::int32_t> ranks_at(const WaitGraph& graph, const Component& component, std::uint32_t node) {
  std::vector<std::int32_t> ranks;
  std::set_intersection(component.ranks.begin(), component.ranks.end(), graph.nodes()[node].ranks.begin(),
                        graph.nodes()[node].ranks.end(), std::back_inserter(ranks));
  return ranks;
}

bool all_are_members(const model::Run& run, const WaitGraph& graph, const Component& component,
                     const std::vector<std::int32_t>& ranks) {
  for (const std::uint32_t node : component.nodes)
    for (const Link& link : graph.nodes()[node].links)
      if (std::any_of(link.targets.begin(), link.targets.end(),
                      [&](std::int32_t rank) { return std::binary_search(ranks.begin(), ranks.end(), rank); }))
        for (const std::int32_t rank : ranks)
          if (run.gatherings.group_rank(link.comm, rank) < 0) return false;
  return true;
}

// Where all ranks of the cycle are members of all its communicators, most of them may be in one place.
std::optional<Testimony> not_with_the_most(const model::Run& run, const WaitGraph& graph, const Component& component) {
  std::vector<std::int32_t> all, most;
  for (const std::uint32_t node : component.nodes) {
    std::vector<std::int32_t> ranks = ranks_at(graph, component, node);
    all.insert(all.end(), ranks.begin(), ranks.end());
    if (ranks.size() > most.size()) most = std::move(ranks);
  }
  std::sort(all.begin(), all.end());
  if (2 * most.size() <= all.size() || most.size() == all.size()) return std::nullopt;
  if (!all_are_members(run, graph, component, all)) return std::nullopt;
  Testimony minority;
  std::set_difference(all.begin(), all.end(), most.begin(), most.end(), std::back_inserter(minority.culprits));
  minority.evidence = {fmt::format("{} named because {} of {} ranks are in the same place",
                                   ranks_text(minority.culprits), most.size(), all.size())};
  return minority;
}

// On an intercommunicator the other group is no judge of this one: have as many of this one come as have not?
bool is_tie_of_a_group(const Scenario& scenario, const model::Gathering& gathering, const Link& link) {
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(gathering.comm)];
  if (!comm.is_inter()) return false;
  const auto holds = [](const std::vector<std::int32_t>& group, std::int32_t rank) {
    return std::find(group.begin(), group.end(), rank) != group.end();
  };
  const auto& group = holds(comm.ranks, link.targets.front()) ? comm.ranks : comm.remote;
  const auto absent =
      std::count_if(link.targets.begin(), link.targets.end(), [&](std::int32_t rank) { return holds(group, rank); });
  return 2 * static_cast<std::size_t>(absent) == group.size();
}

bool nobody_else_comes(const model::Run& run, const Link& link, const Precedents& precedents) {
  const auto parting = parting_at(run, link, precedents);
  return parting && precedents.lacks_precedent(parting->came, parting->instead);
}

// Ranks in a collective to which few have come, missed in another one to which most have. Where as many have come as
// have not, they must have come to what nobody calls elsewhere.
std::optional<Testimony> missed_by_most(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                        const Component& component, const Precedents& precedents) {
  std::vector<std::int32_t> missed, elsewhere;
  for (const std::uint32_t node : component.nodes) {
    const Link& link = graph.nodes()[node].links.front();
    if (graph.nodes()[node].links.size() > 1 || link.kind != model::Atom::gathering || link.meets) return std::nullopt;
    const model::Gathering& gathering = run.gatherings[link.gathering];
    const auto& members = run.gatherings.members(gathering);
    if (is_tie_of_a_group(scenario, gathering, link)) return std::nullopt;
    if (2 * gathering.missing < members.size()) {
      missed.insert(missed.end(), link.targets.begin(), link.targets.end());
      continue;
    }
    if (2 * gathering.missing == members.size() && !nobody_else_comes(run, link, precedents)) return std::nullopt;
    const auto here = ranks_at(graph, component, node);
    elsewhere.insert(elsewhere.end(), here.begin(), here.end());
  }
  std::sort(missed.begin(), missed.end());
  missed.erase(std::unique(missed.begin(), missed.end()), missed.end());
  std::sort(elsewhere.begin(), elsewhere.end());
  if (missed.empty() || missed != elsewhere) return std::nullopt;
  Testimony minority;
  minority.culprits = missed;
  minority.evidence = {
      fmt::format("{} named because most have come to the collective that waits for them, and few to "
                  "the one in which they wait",
                  ranks_text(missed))};
  return minority;
}

}  // namespace

std::optional<Testimony> minority_of(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                     const Component& component, const Precedents& precedents) {
  if (!waits_for_collectives_only(graph, component)) return std::nullopt;
  if (auto minority = not_with_the_most(run, graph, component)) return minority;
  return missed_by_most(scenario, run, graph, component, precedents);
}

}  // namespace petri::diagnosis
