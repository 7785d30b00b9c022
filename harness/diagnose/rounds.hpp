// A round is what a rank does from one collective to the next: who went on as if it had come to the one that all others
// stand in?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/testimony.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// The one of `suspects` that alone is missing where all other members stand in a collective, if in this round it made
// just the calls of its earlier ones, which all ended in such a collective, and then the one that begins a round; while
// the round of each other suspect was as its own earlier ones. Needs one earlier round of each, and three members.
std::optional<Testimony> went_on_alone(const Scenario& scenario, const model::Run& run,
                                       const std::vector<std::int32_t>& suspects);

// The only member that has not come to a collective in which all others, at least two, stand.
std::optional<std::int32_t> only_absentee(const model::Run& run, const model::Gathering& gathering);

}  // namespace petri::diagnosis
