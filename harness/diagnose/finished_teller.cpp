#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/diagnose/deadlock_case.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/in_progress.hpp"
#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/unanswered.hpp"
#include "harness/diagnose/witnesses.hpp"

namespace petri::diagnosis {
namespace {

// The wait for one of the component's ranks, which will never satisfy it.
const Link& link_to(const Component& component, const Node& node) {
  const auto found = std::find_if(node.links.begin(), node.links.end(), [&](const Link& link) {
    return std::any_of(link.targets.begin(), link.targets.end(), [&](std::int32_t rank) {
      return std::binary_search(component.ranks.begin(), component.ranks.end(), rank);
    });
  });
  return found == node.links.end() ? node.links.front() : *found;
}

// What a link waits for.
std::string_view wanted_text(const Link& link) {
  switch (link.kind) {
    case model::Atom::receiver: return "a receive";
    case model::Atom::leader: return "an intercomm_create";
    case model::Atom::partition: return "a pready";
    case model::Atom::epoch: return link.op == Op::win_post ? "a win_complete" : "a win_post";
    case model::Atom::lock: return "a win_unlock";
    default: return "a message";
  }
}

std::string_view end_text(Terminal terminal, bool several) {
  switch (terminal) {
    case Terminal::finalize:
      return several ? "made all their calls and are in finalize" : "made all its calls and is in finalize";
    case Terminal::exited: return "exited without finalize";
    case Terminal::aborted: return "aborted";
    case Terminal::signal: return several ? "were killed" : "was killed";
    case Terminal::none: break;
  }
  return several ? "wait" : "waits";
}

}  // namespace

Finding tell_of_finished_peer(const DeadlockCase& deadlock) {
  const Component& component = deadlock.component;
  const Node& node = deadlock.graph.nodes()[component.nodes.front()];
  const Link& link = link_to(component, node);
  const auto unanswered = explain_unanswered(deadlock.scenario, deadlock.run, deadlock.graph, node.at.rank, link);
  if (const auto left = gathering_left_alone(deadlock.run, deadlock.graph, component); left && !unanswered)
    return tell_of_gathering(deadlock, *left);
  Finding finding;
  finding.culprits = component.ranks;
  finding.events = {node.at};
  if (link.posted != node.at) finding.events.push_back(link.posted);
  finding.call = start_of(deadlock.scenario, deadlock.run, link.posted).value_or(link.posted);
  const std::string peers = ranks_text(component.ranks);
  finding.expected = fmt::format("{} by {}", wanted_text(link), peers);
  const std::string_view end = end_text(component.terminal, component.ranks.size() > 1);
  finding.actual = fmt::format("{}: {}", peers, end);
  finding.text =
      fmt::format("{} {} in {} for {}, which {}.", sentence_start(node.ranks), node.ranks.size() > 1 ? "wait" : "waits",
                  event_text(deadlock.scenario, node.at), finding.expected, end);
  ask_about_wait(deadlock, unanswered, finding);
  return finding;
}

}  // namespace petri::diagnosis
