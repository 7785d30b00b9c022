#include "harness/diagnose/window_waits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/describe.hpp"

namespace petri::diagnosis {
namespace {

// The lock that a rank holds where somebody else wants one: its latest on that window at that target.
std::optional<EventRef> lock_held_by(const Scenario& scenario, std::int32_t holder, std::uint32_t before,
                                     const Event& wanted) {
  const auto& events = scenario.ranks[static_cast<std::size_t>(holder)].events;
  for (std::uint32_t index = std::min<std::uint32_t>(before, static_cast<std::uint32_t>(events.size())); index-- > 0;) {
    const Event& event = events[index];
    if (event.extras->win != wanted.extras->win) continue;
    const bool meets =
        event.op == Op::win_lock_all ||
        (event.op == Op::win_lock && (!wanted.extras->target || event.extras->target == wanted.extras->target));
    if (meets) return EventRef{holder, index};
  }
  return std::nullopt;
}

Unanswered left_out(const Scenario& scenario, const Node& waiting, const Link& link, std::int32_t rank) {
  const Event& event = at(scenario, waiting.at);
  const bool wants_post = event.op == Op::win_start || event.op == Op::win_complete;
  Unanswered told;
  told.culprits = {rank};
  told.events = {link.posted};
  told.text = fmt::format("Rank {} left out {} on {}, and went on to free it: {} in {} for it.", rank,
                          wants_post ? "a win_post" : "a win_start with its win_complete", event.extras->win,
                          ranks_text(waiting.ranks) + (waiting.ranks.size() == 1 ? " waits" : " wait"),
                          event_text(scenario, event));
  return told;
}

}  // namespace

std::optional<Unanswered> explain_window(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                         const Component& component) {
  for (const std::uint32_t number : component.nodes) {
    const Node& node = graph.nodes()[number];
    for (const Link& link : node.links) {
      if (link.kind != model::Atom::epoch && link.kind != model::Atom::lock) continue;
      for (const std::int32_t target : link.targets) {
        const auto other = graph.node_of(link, target);
        if (!other) continue;
        const Event& there = at(scenario, graph.nodes()[*other].at);
        const Event& wanted = at(scenario, link.posted);
        if (there.op != Op::win_free || there.extras->win != wanted.extras->win) continue;
        if (link.kind == model::Atom::epoch) return left_out(scenario, node, link, target);
        const auto held = lock_held_by(scenario, target, run.index[static_cast<std::size_t>(target)], wanted);
        if (!held) continue;
        return Unanswered{
            {target},
            {*held, node.at},
            fmt::format("Rank {} never unlocks {} ({}), and went on to free the window: {} in {} for it.", target,
                        event_text(scenario, at(scenario, *held)), place_text(at(scenario, *held)),
                        ranks_text(node.ranks) + (node.ranks.size() == 1 ? " waits" : " wait"),
                        event_text(scenario, at(scenario, node.at)))};
      }
    }
  }
  return std::nullopt;
}

}  // namespace petri::diagnosis
