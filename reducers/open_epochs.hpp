// Exposure and access epochs of one rank's windows, followed along its calls while some of those are dropped.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "harness/trace/event.hpp"

namespace petri::reduce {

// What ends an epoch goes with what would have opened it (MPI 4.1, section 12.5.2).
class OpenEpochs {
 public:
  // Called for each event in program order: does it remain, if it would stay by itself?
  bool allow(const Event& event, bool stays);

 private:
  void note(const std::pair<std::string, bool>& epoch, bool stays);

  std::set<std::pair<std::string, bool>> lost_;  // window, and whether it is an access epoch
};

}  // namespace petri::reduce
