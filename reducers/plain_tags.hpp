// Tags that say which rank sends or receives, as peers do, without the rank.
#pragma once

#include <optional>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// The scenario with one tag in place of all those that add the same number to the group rank of their message's sender,
// or of its receiver: the tag of the lowest such rank. A tag counts as such only where more ranks, and at least three,
// use that rule than use the tag itself, so that a tag that many have in common stays. Both sides of a message follow
// the same rule, unless a receive of any source hides it. Nothing where no tag changes.
std::optional<Scenario> with_plain_tags(const Scenario& scenario);

}  // namespace petri::reduce
