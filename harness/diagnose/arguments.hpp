// Do the arguments that must agree agree? For collectives MPI 4.1 chapter 6, for messages section 3.3.
//
// Only significant arguments are compared (a receive count at the root of a gather, not elsewhere), and only recorded
// ones: what is unknown on either side never clashes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::diagnosis {

// Members of one gathering, grouped by what they gave for one argument.
struct Clash {
  // "count", "dtype", "root", "reduce", "counts", "ranks", "neighbours", "dims", "path", "mode", "disp"
  std::string argument;
  struct Side {
    std::string value;  // in words where the argument is a list: "takes 8 from rank 0", "counts 1,2", "group 0,3"
    std::vector<EventRef> events;
  };
  std::vector<Side> sides;  // the largest first
};

// The arguments that clash in a gathering whose operations join, the most telling first; nothing when all agree.
std::vector<Clash> clashes(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering);

// What is wrong with a matched message: "" , "truncation" (longer than its receive) or "dtype".
std::string message_fault(const Event& send, const Event& recv);

}  // namespace petri::diagnosis
