// Who waits for whom at the end of a run, and the parts of that graph in which a deadlock has its cause.
//
// Ranks that wait in the same way are one node; a rank whose threads or device streams wait for different things has
// several. A component is either a cycle that waits for nothing outside itself, or
// one node that waits for ranks which are past all calls; everybody else only waits for a component.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::diagnosis {

// Why a rank will never join anything again.
enum class Terminal : std::uint8_t { none, finalize, exited, aborted, signal };
std::string_view name_of(Terminal terminal);

// One thing that a node waits for, with all ranks that could supply it.
struct Link {
  Op op = Op::barrier;  // the call that waits, for a request the one that made it
  model::Atom::Kind kind = model::Atom::gathering;
  std::int32_t comm = 0;
  bool meets = false;  // stands at the same position with another operation; otherwise it is absent
  bool any = false;    // one of the targets, or one of the node's links, is enough
  // Waits for a collective that was started, not in the call that makes its persistent request: that one may
  // synchronize by itself (MPI 4.1, section 6.13).
  bool started = false;
  std::uint32_t gathering = 0;
  std::uint32_t lane = 0;  // of Atom::stream: the lane that is waited for
  EventRef posted;
  std::vector<std::int32_t> targets;  // global ranks
};

struct Node {
  std::vector<std::int32_t> ranks;
  EventRef at;  // where its first rank stands
  bool polls = false;
  std::vector<Link> links;
};

struct Component {
  std::vector<std::uint32_t> nodes;
  Terminal terminal = Terminal::none;  // none: a cycle
  std::vector<std::int32_t> ranks;     // those that other nodes of the component, or its node, wait for
  bool required_only = false;          // waits with alternatives are no part of it
};

class WaitGraph {
 public:
  WaitGraph(const Scenario& scenario, const model::Run& run);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Component>& components() const { return components_; }
  // The node of a stuck lane, or nothing.
  std::optional<std::uint32_t> node_of_lane(std::uint32_t lane) const;
  // Where a target of a link is stuck, or nothing: of several lanes the one that could supply what the link waits for.
  std::optional<std::uint32_t> node_of(const Link& link, std::int32_t target) const;
  // Why a rank will never join anything again; none while one of its lanes is stuck.
  Terminal terminal_of(std::int32_t rank) const;

 private:
  void find_terminals();
  void make_nodes();
  void add_links(const model::Wait& wait, Node& node);
  bool could_supply(const Link& link, std::uint32_t lane) const;
  std::vector<std::vector<std::uint32_t>> edges_between() const;
  void find_components();
  void add_cycle(std::vector<std::uint32_t> nodes);
  void add_terminal_components(std::uint32_t node);

  const Scenario& scenario_;
  const model::Run& run_;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> node_of_;              // by lane, -1 for none
  std::vector<std::vector<std::uint32_t>> lanes_;  // by rank: those that are stuck in a call
  std::vector<Terminal> terminals_;                // by rank
  std::vector<Component> components_;
};

}  // namespace petri::diagnosis
