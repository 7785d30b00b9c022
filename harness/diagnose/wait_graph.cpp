#include "harness/diagnose/wait_graph.hpp"

#include <algorithm>
#include <array>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace petri::diagnosis {
namespace {

using model::Atom;
using model::Standing;

bool waits_in_finalize(const model::Wait& wait) {
  return wait.atoms.size() == 1 && wait.atoms.front().kind == Atom::finalize;
}

// Is this a call that somebody waits for?
bool supplies(const Event& event, const Link& link) {
  const OpKind kind = kind_of(event.op);
  switch (link.kind) {
    case Atom::gathering:
    case Atom::leader: return event.comm == link.comm && (is_positional(event.op) || kind == OpKind::comm_create);
    case Atom::message: return event.comm == link.comm && (kind == OpKind::send || kind == OpKind::sendrecv);
    case Atom::receiver: return event.comm == link.comm && (kind == OpKind::recv || kind == OpKind::sendrecv);
    case Atom::partition: return kind == OpKind::partition || kind == OpKind::start;
    case Atom::epoch: return event.op == Op::win_post || event.op == Op::win_complete;
    case Atom::lock: return event.op == Op::win_unlock || event.op == Op::win_unlock_all;
    case Atom::finalize:
    case Atom::stream: break;
  }
  return false;
}

using Edges = std::vector<std::vector<std::uint32_t>>;

// Strongly connected components, in Tarjan's order: a component comes after all that it reaches. Its nodes ascend.
std::vector<std::vector<std::uint32_t>> components_of(const Edges& edges) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t node = 0; node < edges.size(); ++node)
    for (const std::uint32_t target : edges[node]) pairs.emplace_back(node, target);
  const boost::compressed_sparse_row_graph<boost::directedS> graph(boost::edges_are_sorted, pairs.begin(), pairs.end(),
                                                                   edges.size());
  std::vector<std::uint32_t> number(edges.size());
  const auto count = boost::strong_components(
      graph, boost::make_iterator_property_map(number.begin(), get(boost::vertex_index, graph)));
  std::vector<std::vector<std::uint32_t>> components(count);
  for (std::uint32_t node = 0; node < edges.size(); ++node) components[number[node]].push_back(node);
  return components;
}

}  // namespace

std::string_view name_of(Terminal terminal) {
  static constexpr std::array<std::string_view, 5> kNames{"", "finalize", "exited", "aborted", "signal"};
  return kNames.at(static_cast<std::size_t>(terminal));
}

WaitGraph::WaitGraph(const Scenario& scenario, const model::Run& run)
    : scenario_(scenario),
      run_(run),
      node_of_(run.lanes.size(), -1),
      lanes_(run.standing.size()),
      terminals_(run.standing.size(), Terminal::none) {
  find_terminals();
  make_nodes();
  find_components();
}

// Does the rest of a lane's calls have one that the link waits for?
bool WaitGraph::could_supply(const Link& link, std::uint32_t number) const {
  const model::Lane& lane = run_.lanes[number];
  const auto& events = scenario_.ranks[static_cast<std::size_t>(lane.rank)].events;
  return std::any_of(std::upper_bound(lane.events.begin(), lane.events.end(), lane.index), lane.events.end(),
                     [&](std::uint32_t index) { return supplies(events[index], link); });
}

std::optional<std::uint32_t> WaitGraph::node_of_lane(std::uint32_t lane) const {
  if (node_of_[lane] < 0) return std::nullopt;
  return static_cast<std::uint32_t>(node_of_[lane]);
}

std::optional<std::uint32_t> WaitGraph::node_of(const Link& link, std::int32_t target) const {
  if (link.kind == Atom::stream) return node_of_lane(link.lane);
  const auto& lanes = lanes_[static_cast<std::size_t>(target)];
  if (link.kind == Atom::gathering) {
    const model::Gathering& gathering = run_.gatherings[link.gathering];
    const auto member = static_cast<std::uint32_t>(run_.gatherings.member_index(gathering, target));
    if (const auto queued = run_.gatherings.lane_of_queued(gathering, member)) return node_of_lane(*queued);
  }
  if (lanes.empty()) return std::nullopt;
  // One that has arrived there is stuck in it, whatever its other lanes wait for.
  for (const std::uint32_t lane : lanes) {
    const auto number = node_of_lane(lane);
    if (!number || link.kind != Atom::gathering) continue;
    const auto& links = nodes_[*number].links;
    if (std::any_of(links.begin(), links.end(), [&](const Link& other) {
          return other.kind == Atom::gathering && other.gathering == link.gathering;
        }))
      return number;
  }
  const auto supplier =
      std::find_if(lanes.begin(), lanes.end(), [&](std::uint32_t lane) { return could_supply(link, lane); });
  return node_of_lane(supplier == lanes.end() ? lanes.front() : *supplier);
}

Terminal WaitGraph::terminal_of(std::int32_t rank) const {
  const auto slot = static_cast<std::size_t>(rank);
  return lanes_[slot].empty() ? terminals_[slot] : Terminal::none;
}

// A rank in finalize is past everything that others could want of it, whether or not it ever leaves.
void WaitGraph::find_terminals() {
  for (std::size_t rank = 0; rank < terminals_.size(); ++rank) {
    if (run_.lanes[rank].standing == Standing::finished) terminals_[rank] = Terminal::finalize;
    if (run_.lanes[rank].standing != Standing::dead) continue;
    const auto& trace = scenario_.ranks[rank];
    const bool aborts = trace.end.kind == EndKind::aborted ||
                        (run_.index[rank] < trace.events.size() && trace.events[run_.index[rank]].op == Op::abort);
    terminals_[rank] = aborts                              ? Terminal::aborted
                       : trace.end.kind == EndKind::signal ? Terminal::signal
                                                           : Terminal::exited;
  }
  for (const model::Wait& wait : run_.waits)
    if (waits_in_finalize(wait)) terminals_[static_cast<std::size_t>(wait.rank)] = Terminal::finalize;
}

void WaitGraph::make_nodes() {
  // Those who came to a gathering with one operation wait alike.
  std::map<std::tuple<std::uint32_t, std::string_view, OpForm>, std::uint32_t> by_gathering;
  for (const model::Wait& wait : run_.waits) {
    if (waits_in_finalize(wait) || !run_.stuck_lanes[wait.lane]) continue;
    lanes_[static_cast<std::size_t>(wait.rank)].push_back(wait.lane);
    auto number = static_cast<std::uint32_t>(nodes_.size());
    if (wait.atoms.size() == 1 && wait.atoms.front().kind == Atom::gathering) {
      const OpInfo& op = info(at(scenario_, wait.atoms.front().posted).op);
      number = by_gathering.try_emplace({wait.atoms.front().number, op.family, op.form}, number).first->second;
    }
    if (number == nodes_.size()) {
      Node node;
      node.at = {wait.rank, wait.index};
      // The loop of polls is the same wait whether the record shows its end or not.
      const Op op = wait.index < scenario_.ranks[static_cast<std::size_t>(wait.rank)].events.size()
                        ? at(scenario_, node.at).op
                        : Op::finalize;
      const bool is_poll = kind_of(op) == OpKind::test || kind_of(op) == OpKind::probe;
      node.polls = wait.polls || (is_poll && form_of(op) == OpForm::nonblocking);
      add_links(wait, node);
      nodes_.push_back(std::move(node));
    }
    auto& ranks = nodes_[number].ranks;
    if (ranks.empty() || ranks.back() != wait.rank) ranks.push_back(wait.rank);
    node_of_[wait.lane] = number;
  }
}

void WaitGraph::add_links(const model::Wait& wait, Node& node) {
  for (const Atom& atom : wait.atoms) {
    Link link;
    link.op = at(scenario_, atom.posted).op;
    link.kind = atom.kind;
    link.comm = atom.comm;
    link.any = wait.any;
    link.posted = atom.posted;
    if (atom.kind == Atom::stream) link.lane = atom.number;
    if (atom.kind != Atom::gathering) {
      if (atom.peer != kAny) {
        link.targets = {atom.peer};
      } else {
        link.any = true;
        for (const std::int32_t member : run_.gatherings.ranks_of(atom.comm))
          if (member != wait.rank) link.targets.push_back(member);
        // Alone on its communicator it waits for itself, as it does where it names itself.
        if (link.targets.empty()) link.targets.push_back(wait.rank);
      }
      node.links.push_back(std::move(link));
      continue;
    }
    link.gathering = atom.number;
    link.started = form_of(link.op) == OpForm::persistent && atom.posted != EventRef{wait.rank, wait.index};
    Link meeting = link;
    meeting.meets = true;
    const model::Gathering& gathering = run_.gatherings[atom.number];
    const auto& members = run_.gatherings.members(gathering);
    for (std::size_t member = 0; member < members.size(); ++member) {
      const std::uint32_t arrival = gathering.arrivals[member];
      if (arrival == model::kAbsent) link.targets.push_back(members[member]);
      if (arrival == model::kAbsent || arrival == model::kBefore) continue;
      if (!model::join(at(scenario_, {members[member], arrival}).op, link.op))
        meeting.targets.push_back(members[member]);
    }
    if (!meeting.targets.empty()) node.links.push_back(std::move(meeting));
    if (!link.targets.empty()) node.links.push_back(std::move(link));
  }
}

// By node, ascending: whom it waits for.
std::vector<std::vector<std::uint32_t>> WaitGraph::edges_between() const {
  std::vector<std::vector<std::uint32_t>> edges(nodes_.size());
  std::vector<std::uint32_t> seen_by(nodes_.size(), static_cast<std::uint32_t>(nodes_.size()));
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    for (const Link& link : nodes_[node].links)
      for (const std::int32_t target : link.targets)
        if (const auto other = node_of(link, target); other && std::exchange(seen_by[*other], node) != node)
          edges[node].push_back(*other);
    std::sort(edges[node].begin(), edges[node].end());
  }
  return edges;
}

void WaitGraph::find_components() {
  const Edges edges = edges_between();
  for (const auto& component : components_of(edges)) {
    const auto& first = edges[component.front()];
    const bool cyclic = component.size() > 1 || std::binary_search(first.begin(), first.end(), component.front());
    const auto inside = [&](std::uint32_t node) {
      return std::binary_search(component.begin(), component.end(), node);
    };
    const bool closed = std::all_of(component.begin(), component.end(), [&](std::uint32_t node) {
      return std::all_of(edges[node].begin(), edges[node].end(), inside);
    });
    if (cyclic && closed) add_cycle(component);
  }
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) add_terminal_components(node);
}

void WaitGraph::add_cycle(std::vector<std::uint32_t> nodes) {
  Component cycle;
  std::set<std::int32_t> wanted;
  for (const std::uint32_t node : nodes)
    for (const Link& link : nodes_[node].links)
      for (const std::int32_t target : link.targets)
        if (const auto other = node_of(link, target); other && std::binary_search(nodes.begin(), nodes.end(), *other))
          wanted.insert(target);
  cycle.nodes = std::move(nodes);
  cycle.ranks.assign(wanted.begin(), wanted.end());
  components_.push_back(std::move(cycle));
}

void WaitGraph::add_terminal_components(std::uint32_t node) {
  std::map<Terminal, std::vector<std::int32_t>> by_terminal;
  bool alternatives_wait = false;
  for (const Link& link : nodes_[node].links) {
    for (const std::int32_t target : link.targets) {
      if (const Terminal terminal = terminal_of(target); terminal != Terminal::none)
        by_terminal[terminal].push_back(target);
      alternatives_wait = alternatives_wait || (link.any && node_of(link, target).has_value());
    }
  }
  if (alternatives_wait) return;  // it waits for those that still could, and they are in a cycle of their own
  for (auto& [terminal, ranks] : by_terminal) {
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    components_.push_back({{node}, terminal, std::move(ranks)});
  }
}

}  // namespace petri::diagnosis
