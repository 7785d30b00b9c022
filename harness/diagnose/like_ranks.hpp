// Ranks that play one part in a job make the same calls: a rank is held against those that did what it did until it
// went its own way. It decides where a rank has no history of its own to be held against.
//
// Calls are the same up to what a part leaves open: which communicator of those made by one call, which partner at one
// place in the order of partners. Sizes of messages are open, too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/precedent.hpp"
#include "harness/diagnose/testimony.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// The only one of `suspects` that parted from the ranks like it by one edit (a call left out, an extra one, another
// argument, an early end), while each other suspect did, as far as it came, what another rank did, or what nobody
// contradicts. Of two that parted from each other, the one that other communicators of the kind contradict, or whose
// call has the shorter precedents. Nothing where the record does not tell: several parted, one plays a part of its own,
// or they have met since.
std::optional<Testimony> parted_rank(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                                     const std::vector<std::int32_t>& suspects);

}  // namespace petri::diagnosis
