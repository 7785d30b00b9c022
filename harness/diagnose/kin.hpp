// Groups of one kind: communicators with one label and as many members, such as the tensor-parallel groups of a job.
// One line of the program makes the calls of them all, so what the others did at a place tells who of two went another
// way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/wait_graph.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

class Kin {
 public:
  // Both must outlive this; nothing is looked up before the first question.
  Kin(const Scenario& scenario, const model::Run& run) : scenario_(scenario), run_(run) {}

  // The calls that members of the other groups of the kind made at the position of a gathering; the first of each group
  // stands for all where they agree, and groups whose members do not agree say nothing.
  std::vector<EventRef> calls_at(const model::Gathering& gathering) const;

  // Did all members of all other groups of the kind come to this position? False where there is none.
  bool all_came(const model::Gathering& gathering) const;

  // "the other 3 groups TENSOR".
  std::string text(const model::Gathering& gathering) const;

 private:
  using Place = std::pair<std::int32_t, std::int64_t>;  // communicator and position
  void look() const;
  std::vector<std::int32_t> others(std::int32_t comm) const;
  bool came(std::int32_t comm, std::int64_t position) const;

  const Scenario& scenario_;
  const model::Run& run_;
  mutable bool looked_ = false;
  mutable std::map<std::pair<std::string, std::size_t>, std::vector<std::int32_t>> kinds_;  // by label and size
  mutable std::map<Place, const model::Gathering*> places_;                                 // of labelled communicators
};

// Of the ranks of a cycle those that did not come to a collective to which all groups of the kind have come. Nothing
// where that says it of all ranks of the cycle, or of none.
std::optional<Testimony> missed_by_kin(const model::Run& run, const WaitGraph& graph, const Component& component,
                                       const Kin& kin);

}  // namespace petri::diagnosis
