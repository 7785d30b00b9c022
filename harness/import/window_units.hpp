// Displacements in windows count units that each member chose for its own memory; in a scenario they are bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/trace/scenario.hpp"

namespace petri {

class WindowUnits {
 public:
  void add(const std::string& window, std::int32_t rank, std::int64_t unit) { units_[window][rank] = unit; }

  // Once all ranks are read: turns displacements into bytes. A target that left no record is taken to have the unit of
  // the rank that made the call.
  void settle(Scenario& scenario) const;

 private:
  std::int64_t unit_of(const Event& event, const Scenario& scenario, std::int32_t caller) const;

  std::map<std::string, std::map<std::int32_t, std::int64_t>> units_;  // by window and global rank
};

}  // namespace petri
