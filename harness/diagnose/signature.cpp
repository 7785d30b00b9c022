#include "harness/diagnose/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace petri::diagnosis {
namespace {

// An edge between roles, with the communicator's number in the scenario; kNoComm for a call on none.
struct Edge {
  std::string label;  // "allreduce", "recv any", "bcast_init started"
  std::int32_t comm;
  std::string relation;  // "meets", "waits for", "queues behind"
  std::string end;       // "itself" of a rank, or a terminal's name; empty for a role
  std::int64_t target;   // role, or -1
  auto operator<=>(const Edge&) const = default;
};

using Roles = std::vector<std::set<Edge>>;  // by role

std::string label_of(const Node& node, const Link& link) {
  std::string label(petri::name_of(link.op));
  if (link.started) label += " started";
  if (link.any) label += " any";
  if (node.polls) label += " polled";
  return label;
}

std::string relation_of(const Link& link) {
  if (link.meets) return "meets";
  return link.kind == model::Atom::stream ? "queues behind" : "waits for";
}

// A synchronization with a device is on no communicator, whatever its record names.
std::int32_t comm_of(const Link& link) {
  const OpKind kind = kind_of(link.op);
  return kind == OpKind::device || kind == OpKind::host ? kNoComm : link.comm;
}

using Stages = std::map<std::uint32_t, std::uint32_t>;  // a node, and the one that stands for it

// What a node of a cycle waits in, where that is nothing but messages with one other node; otherwise nothing.
std::set<std::pair<std::string, std::int32_t>> message_waits(const WaitGraph& graph, const Component& component,
                                                             std::uint32_t number, std::uint32_t& next) {
  std::set<std::pair<std::string, std::int32_t>> waits;
  std::set<std::uint32_t> targets;
  const Node& node = graph.nodes()[number];
  for (const Link& link : node.links) {
    if (link.any) continue;
    for (const std::int32_t rank : link.targets) {
      const auto other = graph.node_of(link, rank);
      if (!other || !std::binary_search(component.nodes.begin(), component.nodes.end(), *other)) continue;
      if (link.kind == model::Atom::gathering) return {};
      targets.insert(*other);
      waits.emplace(label_of(node, link), link.comm);
    }
  }
  if (targets.size() != 1) return {};
  next = *targets.begin();
  return waits;
}

// Along a pipeline the stages behind a lost message wait alike, each for the one before it. How many they are depends
// on the job's size as the length of a ring does: in a cycle of messages the last of such a run stands for all.
Stages stages_of(const WaitGraph& graph, const Component& component) {
  Stages stages;
  if (!component.required_only) return stages;
  std::map<std::uint32_t, std::uint32_t> next;
  std::map<std::uint32_t, std::set<std::pair<std::string, std::int32_t>>> waits;
  for (const std::uint32_t node : component.nodes) {
    waits[node] = message_waits(graph, component, node, next[node]);
    if (waits[node].empty()) return stages;
  }
  const auto last = std::find_if(component.nodes.begin(), component.nodes.end(),
                                 [&](std::uint32_t node) { return waits[node] != waits[next[node]]; });
  if (last == component.nodes.end()) return stages;  // a ring: its ranks are one role as they are
  for (const std::uint32_t node : component.nodes) {
    std::vector<std::uint32_t> run;  // whose last stage is not known yet
    std::uint32_t stage = node;
    for (; !stages.contains(stage) && waits[stage] == waits[next[stage]]; stage = next[stage]) run.push_back(stage);
    const std::uint32_t end = stages.try_emplace(stage, stage).first->second;
    for (const std::uint32_t before : run) stages[before] = end;
  }
  return stages;
}

// Edges of one node under the present colouring of the component's nodes.
std::set<Edge> edges_of(const WaitGraph& graph, const Component& component, const Stages& stages, std::uint32_t number,
                        const std::map<std::uint32_t, std::int64_t>& colour) {
  std::set<Edge> edges;
  const Node& node = graph.nodes()[number];
  for (const Link& link : node.links) {
    if (component.required_only && link.any) continue;
    for (const std::int32_t rank : link.targets) {
      Edge edge{label_of(node, link), comm_of(link), relation_of(link), "", -1};
      if (component.terminal != Terminal::none) {
        if (graph.terminal_of(rank) != component.terminal) continue;
        edge.end = name_of(component.terminal);
      } else {
        auto other = graph.node_of(link, rank);
        if (other && stages.contains(*other)) other = stages.at(*other);
        if (!other || colour.count(*other) == 0) continue;
        // One rank that waits for itself is another failure than a ring of ranks, of which each waits for the next.
        if (*other == number && node.ranks == std::vector{rank})
          edge.end = "itself";
        else
          edge.target = colour.at(*other);
      }
      edges.insert(edge);
    }
  }
  return edges;
}

// Coarsest partition in which nodes of one role have the same edges to the same roles.
Roles roles_of(const WaitGraph& graph, const Component& component) {
  const Stages stages = stages_of(graph, component);
  std::map<std::uint32_t, std::int64_t> colour;
  for (const std::uint32_t node : component.nodes)
    if (stages.empty() || stages.at(node) == node) colour[node] = 0;
  for (std::size_t colours = 1;;) {
    std::map<std::pair<std::int64_t, std::set<Edge>>, std::int64_t> next_of;
    std::map<std::uint32_t, std::int64_t> next;
    for (const auto& [node, role] : colour) {
      const std::pair shape(role, edges_of(graph, component, stages, node, colour));
      next[node] = next_of.try_emplace(shape, static_cast<std::int64_t>(next_of.size())).first->second;
    }
    colour = std::move(next);
    if (next_of.size() == colours) break;
    colours = next_of.size();
  }
  Roles roles;
  for (const auto& [node, role] : colour) {
    if (static_cast<std::size_t>(role) >= roles.size()) roles.resize(static_cast<std::size_t>(role) + 1);
    roles[static_cast<std::size_t>(role)] = edges_of(graph, component, stages, node, colour);
  }
  return roles;
}

// A hash of what can be seen from a role without names, to order edges that look alike at first sight.
std::vector<std::string> shapes_of(const Roles& roles) {
  std::vector<std::string> shapes(roles.size());
  for (std::size_t round = 0; round < std::min<std::size_t>(roles.size(), 8); ++round) {
    std::vector<std::string> next(roles.size());
    for (std::size_t role = 0; role < roles.size(); ++role) {
      std::multiset<std::string> seen;
      for (const Edge& edge : roles[role])
        seen.insert(
            fmt::format("{}|{}|{}|{}", edge.label, edge.relation, edge.end,
                        edge.target < 0 ? 0 : std::hash<std::string>{}(shapes[static_cast<std::size_t>(edge.target)])));
      next[role] = fmt::format("{}", fmt::join(seen, ";"));
    }
    shapes = std::move(next);
  }
  return shapes;
}

std::string role_name(std::size_t number) {
  std::string name;
  for (++number; number > 0; number = (number - 1) / 26)
    name.insert(name.begin(), static_cast<char>('A' + (number - 1) % 26));
  return name;
}

// The text when roles and communicators are named in the order of discovery from one role.
class Walk {
 public:
  Walk(const Roles& roles, const std::vector<std::string>& shapes, std::size_t start) : roles_(roles), shapes_(shapes) {
    discover(start);
    for (std::size_t done = 0; done < order_.size(); ++done) expand(order_[done]);
  }
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < order_.size(); ++i)
      text += fmt::format("{}{}({})", i == 0 ? "" : " ", role_name(i), bodies_[i]);
    return text;
  }
  bool reached_all() const { return order_.size() == roles_.size(); }

 private:
  void discover(std::size_t role) {
    if (name_.try_emplace(role, order_.size()).second) order_.push_back(role);
  }

  void expand(std::size_t role) {
    std::vector<Edge> edges(roles_[role].begin(), roles_[role].end());
    const auto key = [&](const Edge& edge) {
      const auto known = edge.target < 0 ? name_.end() : name_.find(static_cast<std::size_t>(edge.target));
      const auto comm = comms_.find(edge.comm);
      return std::tuple(edge.label, edge.relation, edge.end, comm == comms_.end() ? comms_.size() : comm->second,
                        known == name_.end() ? roles_.size() : known->second,
                        edge.target < 0 ? std::string() : shapes_[static_cast<std::size_t>(edge.target)]);
    };
    std::stable_sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
    std::vector<std::string> parts;
    for (const Edge& edge : edges) {
      const std::string place =
          edge.comm == kNoComm ? "" : fmt::format("@{}", comms_.try_emplace(edge.comm, comms_.size()).first->second);
      if (edge.target >= 0) discover(static_cast<std::size_t>(edge.target));
      const std::string target =
          edge.target < 0 ? edge.end : role_name(name_.at(static_cast<std::size_t>(edge.target)));
      parts.push_back(fmt::format("{}{} {} {}", edge.label, place, edge.relation, target));
    }
    bodies_.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  }

  const Roles& roles_;
  const std::vector<std::string>& shapes_;
  std::vector<std::size_t> order_;
  std::map<std::size_t, std::size_t> name_;
  std::map<std::int32_t, std::size_t> comms_;
  std::vector<std::string> bodies_;
};

// Where the least rotation of a ring begins (two candidates that skip what they prove to be greater).
std::size_t least_rotation(const std::vector<std::string>& ring) {
  std::size_t one = 0, other = 1, equal = 0;
  const std::size_t size = ring.size();
  while (one < size && other < size && equal < size) {
    const int order = ring[(one + equal) % size].compare(ring[(other + equal) % size]);
    if (order == 0) {
      ++equal;
      continue;
    }
    (order > 0 ? one : other) += equal + 1;
    if (one == other) ++other;
    equal = 0;
  }
  return std::min(one, other);
}

// The roles from which the least text may be told. A long cycle of which each wait is on a communicator of its own has
// as many roles as ranks, all alike: its text depends on the order of its calls alone, and so does the least one.
std::vector<std::size_t> starts_of(const Roles& roles) {
  std::vector<std::size_t> starts(roles.size());
  std::iota(starts.begin(), starts.end(), 0U);
  std::vector<std::size_t> ring;
  std::vector<std::string> calls;
  std::set<std::int32_t> comms;
  std::size_t role = 0;
  do {
    if (roles[role].size() != 1) return starts;
    const Edge& edge = *roles[role].begin();
    if (edge.target < 0 || edge.comm == kNoComm || !comms.insert(edge.comm).second) return starts;
    ring.push_back(role);
    calls.push_back(fmt::format("{}@ {}", edge.label, edge.relation));
    role = static_cast<std::size_t>(edge.target);
  } while (role != 0 && ring.size() < roles.size());
  if (role != 0 || ring.size() != roles.size()) return starts;
  return {ring[least_rotation(calls)]};
}

}  // namespace

std::string canonical_form(const WaitGraph& graph, const Component& component) {
  const Roles roles = roles_of(graph, component);
  const std::vector<std::string> shapes = shapes_of(roles);
  std::string best;
  for (const std::size_t start : starts_of(roles)) {
    const Walk walk(roles, shapes, start);
    // A component is strongly connected, so each walk reaches all its roles.
    const std::string text = walk.text();
    if (best.empty() || text < best) best = text;
  }
  return best;
}

}  // namespace petri::diagnosis
