// Which rank began it: where the members of a communicator first differ, and the smallest edit that explains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/arguments.hpp"
#include "harness/diagnose/precedent.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// Members of a communicator that did the same at one position.
struct Side {
  std::vector<std::int32_t> ranks;  // global
  std::optional<EventRef> event;    // what the first of them did there; nothing: it never came
  std::string text;                 // in words
};

// How the sequence of the deviating side differs from the other's, as far as the record shows.
enum class Reading : std::uint8_t {
  unclear,  // one thing where the others do another
  extra,    // a call that the others do not make
  skipped,  // a call that the others make is missing
  swapped,  // the same calls in another order
};

struct Blame {
  Reading reading = Reading::unclear;
  std::vector<std::int32_t> culprits;  // ascending; of a tie the ranks of both sides
  std::vector<Side> sides;             // the largest first; the culprits' are not the first one
  std::vector<std::int32_t> silent;    // members that did not come and may have: counted on no side
  std::vector<EventRef> events;        // the culprits' deviating call first, then the other side's
  std::optional<EventRef> call;        // the one that is extra, or that was skipped
  bool tie = false;                    // no majority: the reading is that of the second side, the other one is as good
  bool by_majority = false;            // nothing but the numbers names the culprits
  std::string precedent;               // a sentence, where the rest of the record names the culprits of a tie
  std::string other_reading;           // a sentence, where the evidence allows two
};

// What the members of the gathering's communicator did at its position, and who deviates.
Blame blame(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering,
            const Precedents& precedents);

// The same for members that joined with clashing arguments.
Blame blame(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering, const Clash& clash,
            const Precedents& precedents);

}  // namespace petri::diagnosis
