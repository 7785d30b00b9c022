#include "harness/record/strict.hpp"

#include <cstdlib>

namespace petri::record {
namespace {

Hold* hold_of(RequestEntry& entry) {
  if (entry.hold == nullptr) entry.hold = static_cast<Hold*>(std::calloc(1, sizeof(Hold)));
  return entry.hold;
}

}  // namespace

void hold_back(RequestEntry& entry, Meeting* meeting) {
  if (meeting == nullptr) return;
  if (Hold* hold = hold_of(entry)) hold->meeting = meeting;
}

void hold_back_starts(RequestEntry& entry, Call& initialization) {
  if (!state.strict || initialization.venue() == nullptr) return;
  Hold* hold = hold_of(entry);
  if (hold == nullptr) return;
  hold->starts = venue_within(*initialization.venue(), 's', initialization.slot().matched);
  hold->op = static_cast<Op>(initialization.slot().op);
}

void join_start(RequestEntry& entry) {
  if (entry.hold != nullptr)
    entry.hold->meeting = join_meeting(entry.hold->starts, entry.hold->started++, entry.hold->op);
}

void stay_while_held_back(RequestSet& set) {
  for (unsigned looks = 0; set.any_held_back(); ++looks) nap(looks);
}

}  // namespace petri::record
