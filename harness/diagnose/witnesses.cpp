#include "harness/diagnose/witnesses.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "harness/diagnose/channels.hpp"
#include "harness/diagnose/habit.hpp"
#include "harness/diagnose/kin.hpp"
#include "harness/diagnose/like_ranks.hpp"
#include "harness/diagnose/minority.hpp"
#include "harness/diagnose/odd_site.hpp"
#include "harness/diagnose/odd_step.hpp"
#include "harness/diagnose/one_too_many.hpp"
#include "harness/diagnose/rounds.hpp"
#include "harness/diagnose/turns.hpp"
#include "harness/diagnose/unanswered.hpp"
#include "harness/diagnose/window_waits.hpp"

namespace petri::diagnosis {
namespace {

using Witness = std::function<std::optional<Testimony>()>;

void ask(std::initializer_list<Witness> ranked, Finding& finding) {
  for (const Witness& witness : ranked)
    if (auto told = witness()) return believe(std::move(*told), finding);
}

// Ranks for whose messages or receives somebody waits: one of them may have left one out.
std::vector<std::int32_t> waited_for(const WaitGraph& graph, const Component& component) {
  std::set<std::int32_t> ranks;
  for (const std::uint32_t number : component.nodes)
    for (const Link& link : graph.nodes()[number].links)
      if (link.kind == model::Atom::message || link.kind == model::Atom::receiver)
        ranks.insert(link.targets.begin(), link.targets.end());
  return {ranks.begin(), ranks.end()};
}

// Communicators over which suspects wait, and those of the calls that a witness points at.
std::set<std::int32_t> comms_concerned(const Scenario& scenario, const model::Run& run,
                                       const std::vector<std::int32_t>& suspects, const Testimony& told) {
  std::set<std::int32_t> comms;
  for (const EventRef call : told.events) comms.insert(at(scenario, call).comm);
  for (const model::Wait& wait : run.waits)
    if (std::binary_search(suspects.begin(), suspects.end(), wait.rank))
      for (const model::Atom& atom : wait.atoms) comms.insert(atom.comm);
  return comms;
}

// Where a member of the communicators concerned left no record, turns name nobody: messages to and from it are not
// among the calls of the others, and it may itself have begun it.
std::optional<Testimony> where_recorded(std::optional<Testimony> told, const Scenario& scenario, const model::Run& run,
                                        const std::vector<std::int32_t>& suspects) {
  if (!told) return told;
  const std::set<std::int32_t> comms = comms_concerned(scenario, run, suspects, *told);
  const bool is_recorded = std::all_of(comms.begin(), comms.end(), [&](std::int32_t comm) {
    const auto& members = run.gatherings.ranks_of(comm);
    return std::none_of(members.begin(), members.end(), [&](std::int32_t rank) {
      return scenario.ranks[static_cast<std::size_t>(rank)].end.kind == EndKind::missing;
    });
  });
  return is_recorded ? std::move(told) : std::nullopt;
}

// Of the minority nothing is known but its number: it stands where the finding says.
std::optional<Testimony> minority_in(const DeadlockCase& of, const Finding& finding) {
  auto told = minority_of(of.scenario, of.run, of.graph, of.component, of.precedents);
  if (told)
    std::copy_if(finding.events.begin(), finding.events.end(), std::back_inserter(told->events), [&](EventRef ref) {
      return std::binary_search(told->culprits.begin(), told->culprits.end(), ref.rank);
    });
  return told;
}

}  // namespace

void ask_about_wait(const DeadlockCase& of, const std::optional<Testimony>& unanswered, Finding& finding) {
  const Node& node = of.graph.nodes()[of.component.nodes.front()];
  ask({[&] { return unanswered; },
       [&] { return broken_habit(of.scenario, of.run, of.graph, of.component, of.component.ranks); },
       [&] { return explain_one_too_many(of.scenario, of.run, of.graph, node, of.component); }},
      finding);
}

void ask_about_cycle(const DeadlockCase& of, Finding& finding) {
  ask({[&] { return explain_window(of.scenario, of.run, of.graph, of.component); },
       [&] { return explain_cycle(of.scenario, of.run, of.graph, of.component, of.closed); },
       [&] { return explain_taken_place(of.scenario, of.run, of.graph, of.component); },
       [&] { return broken_habit_at_a_collective(of.scenario, of.run, of.graph, of.component, of.precedents); },
       [&] { return broken_habit(of.scenario, of.run, of.graph, of.component, waited_for(of.graph, of.closed)); },
       [&] { return missed_by_kin(of.run, of.graph, of.component, of.precedents.kin(of.run)); },
       [&] { return odd_site(of); }, [&] { return minority_in(of, finding); }},
      finding);
}

void ask_about_suspects(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                        const std::vector<std::int32_t>& suspects, std::int32_t step, Finding& finding) {
  if (suspects.size() < 2) return;
  ask({[&] { return odd_step(scenario, run, suspects, step); }, [&] { return went_on_alone(scenario, run, suspects); },
       [&] { return parted_rank(scenario, run, precedents, suspects); },
       [&] { return where_recorded(out_of_turn(scenario, run, suspects), scenario, run, suspects); },
       [&] { return uneven_channel(scenario, run, suspects); }},
      finding);
}

}  // namespace petri::diagnosis
