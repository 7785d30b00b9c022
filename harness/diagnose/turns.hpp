// Whose turn it was: after the calls that a rank had made, what did others, or itself, do in all other places?
//
// It needs neither steps nor call sites, nor that the rank came any further: a rank that left out a collective stands
// in what follows it, the others in the collective, and nothing behind it is ever to be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/testimony.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// The only one of `suspects` that made a call, since it met another of them in a collective, which is out of turn:
// where at least two places have more of the calls before it in common with this one than any place in which such a
// call is made, and go on with another one. Partners do not count. The places are its own, or of ranks that did the
// same as it, call by call, until then: others play other parts.
//
// A part of a rank's own looks like that, too, where the rank plays it for the first time. So others must make such
// calls as well, in their turn, or the rank wait for several others, of which none does its share.
// Nothing where none or several are such, or one has no whole history: then turns name nobody.
std::optional<Testimony> out_of_turn(const Scenario& scenario, const model::Run& run,
                                     const std::vector<std::int32_t>& suspects);

}  // namespace petri::diagnosis
