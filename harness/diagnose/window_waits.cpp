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
    if (event.extras.win() != wanted.extras.win()) continue;
    const bool meets =
        event.op == Op::win_lock_all ||
        (event.op == Op::win_lock && (!wanted.extras.target() || event.extras.target() == wanted.extras.target()));
    if (meets) return EventRef{holder, index};
  }
  return std::nullopt;
}

Testimony left_out(const Scenario& scenario, const Node& waiting, const Link& link, std::int32_t rank) {
  const Event& event = at(scenario, waiting.at);
  const bool wants_post = event.op == Op::win_start || event.op == Op::win_complete;
  Testimony told;
  told.culprits = {rank};
  told.events = {link.posted};
  told.text = fmt::format("Rank {} left out {} on {}, and went on to free it: {} in {} for it.", rank,
                          wants_post ? "a win_post" : "a win_start with its win_complete", event.extras.win(),
                          ranks_text(waiting.ranks) + (waiting.ranks.size() == 1 ? " waits" : " wait"),
                          event_text(scenario, event));
  return told;
}

bool waits_for_lock(const Node& node) {
  return std::any_of(node.links.begin(), node.links.end(),
                     [](const Link& link) { return link.kind == model::Atom::lock; });
}

// The unlock with which a rank would give a lock back after the place where it is stuck.
std::optional<std::uint32_t> unlock_after(const Scenario& scenario, EventRef held, std::uint32_t place) {
  const auto& events = scenario.ranks[static_cast<std::size_t>(held.rank)].events;
  const Event& lock = events[held.index];
  for (std::uint32_t index = place; index < events.size(); ++index) {
    const Event& event = events[index];
    const bool ends = event.op == (lock.op == Op::win_lock ? Op::win_unlock : Op::win_unlock_all);
    if (ends && event.extras.win() == lock.extras.win() && event.extras.target() == lock.extras.target()) return index;
  }
  return std::nullopt;
}

std::string kept_text(const Scenario& scenario, const model::Run& run, const Testimony& kept) {
  const EventRef held = kept.events.front();
  const std::uint32_t place = run.index[static_cast<std::size_t>(held.rank)];
  const bool several = kept.culprits.size() > 1;
  std::string who = ranks_text(kept.culprits);
  who.front() = 'R';
  std::string text = fmt::format("{} {} {} ({}) while {} in {} for a rank that needs the lock", who,
                                 several ? "keep" : "keeps", event_text(scenario, held), place_text(at(scenario, held)),
                                 several ? "they wait" : "it waits", event_text(scenario, {held.rank, place}));
  if (const auto unlock = unlock_after(scenario, held, place))
    return text + fmt::format(", and unlocks only after that ({}).", place_text(at(scenario, {held.rank, *unlock})));
  return text + ".";
}

// Who keeps others from a lock while waiting for them in something else. Nothing where a holder waits for a lock
// itself: then the order of the locks is wrong, and nobody's more than another's.
std::optional<Testimony> kept_lock(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                   const Component& component) {
  Testimony kept;
  std::vector<EventRef> stuck;
  for (const std::uint32_t number : component.nodes) {
    const Node& node = graph.nodes()[number];
    for (const Link& link : node.links) {
      if (link.kind != model::Atom::lock) continue;
      stuck.push_back(node.at);
      for (const std::int32_t holder : link.targets) {
        const std::uint32_t place = run.index[static_cast<std::size_t>(holder)];
        const auto other = graph.node_of(link, holder);
        const auto held = lock_held_by(scenario, holder, place, at(scenario, link.posted));
        if (!other || !held || waits_for_lock(graph.nodes()[*other])) return std::nullopt;
        if (std::find(kept.culprits.begin(), kept.culprits.end(), holder) != kept.culprits.end()) continue;
        kept.culprits.push_back(holder);
        kept.events.push_back(*held);
        stuck.push_back({holder, place});
      }
    }
  }
  if (kept.culprits.empty()) return std::nullopt;
  std::sort(kept.culprits.begin(), kept.culprits.end());
  kept.text = kept_text(scenario, run, kept);
  kept.events.insert(kept.events.end(), stuck.begin(), stuck.end());
  return kept;
}

}  // namespace

std::optional<Testimony> explain_window(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
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
        if (there.op != Op::win_free || there.extras.win() != wanted.extras.win()) continue;
        if (link.kind == model::Atom::epoch) return left_out(scenario, node, link, target);
        const auto held = lock_held_by(scenario, target, run.index[static_cast<std::size_t>(target)], wanted);
        if (!held) continue;
        return explained({target}, {*held, node.at},
                         fmt::format("Rank {} never unlocks {} ({}), and went on to free the window: {} in {} for it.",
                                     target, event_text(scenario, at(scenario, *held)), place_text(at(scenario, *held)),
                                     ranks_text(node.ranks) + (node.ranks.size() == 1 ? " waits" : " wait"),
                                     event_text(scenario, at(scenario, node.at))));
      }
    }
  }
  return kept_lock(scenario, run, graph, component);
}

}  // namespace petri::diagnosis
