// Does a live replay show what is expected of a scenario?
#pragma once

#include <string>

#include "harness/cli/live.hpp"

namespace petri::cli {

struct Confirmation {
  ReplayResult replay;  // the one that shows it, else the first
  bool shown = false;
  bool strict = false;     // it took a strict replay
  bool undecided = false;  // not shown, and some replay was stopped by its time limit: it might have shown it
};

// Replays once; where an expected failure does not show, once more in strict mode: a run that got through by buffering
// or an early return proves nothing. Throws what replay_scenario throws.
Confirmation confirm_live(const Scenario& scenario, const Outcome& expected, ReplayOptions options);

// "deadlock under mpirun -n 2 after 0.61 s", with what else a reader must know of how it was shown.
std::string text_of(const Confirmation& confirmation, std::int32_t world);

}  // namespace petri::cli
