// The evidence beside a deadlock: messages that just miss their receive, where each rank is blocked, and who is blocked
// only because others are.
#pragma once

#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

class EvidenceChain {
 public:
  EvidenceChain(const Scenario& scenario, const model::Run& run, const WaitGraph& graph)
      : scenario_(scenario), run_(run), graph_(graph) {}

  // Messages that were sent to a rank which waits for another one: a wrong tag or communicator shows itself so.
  void add_near_misses(const Component& component, Finding& finding) const;
  // Where each of the component's nodes stands.
  void add_places(const Component& component, Finding& finding) const;
  // Ranks that are blocked and in none of the kernels.
  void add_victims(const std::vector<Component>& kernels, Finding& finding) const;

 private:
  std::string blocked_text(const Node& node) const;
  void add_near_misses_of(std::int32_t rank, const Link& link, Finding& finding) const;

  const Scenario& scenario_;
  const model::Run& run_;
  const WaitGraph& graph_;
};

}  // namespace petri::diagnosis
