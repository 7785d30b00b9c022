// One cell of the table of planted faults: what Petri makes of one fault in one job of one size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/jobs/fault.hpp"

namespace petri::jobs {

struct Cell {
  const Fault* fault = nullptr;
  const Variant* variant = nullptr;
  const Generator* generator = nullptr;
  JobSize size;
  Place place;
};

struct Measured {
  std::string no_place;    // why the fault is not in this job; then nothing was judged
  std::size_t events = 0;  // of the job
  std::string signature;
  bool verdict_right = false, culprits_right = false;
  // Whether shrinking ends with as many ranks and events as the known minimum, and fails in the same way. True also
  // where there is nothing to shrink.
  bool minimum_reached = false, shrinks = false;
  std::uint64_t ranks_left = 0, events_left = 0;  // after shrinking
  std::uint64_t candidates = 0;                   // asked of the model
  double generate_s = 0, diagnose_s = 0, shrink_s = 0;
  std::vector<std::string> complaints;  // what is wrong, in sentences
  bool right() const { return !no_place.empty() || (verdict_right && culprits_right && minimum_reached); }
};

Measured measure(const Cell& cell);

}  // namespace petri::jobs
