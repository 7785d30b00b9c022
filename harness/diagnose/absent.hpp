// Ranks that others wait for and that are in no call themselves: slow, stopped, or without a record that says more.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {

// A running rank that the record shows inside calls which the model lets it leave is not computing.
bool in_a_call(const Scenario& scenario, const model::Run& run, std::int32_t rank);

// Skew where somebody who is still there did not come, with both readings where the ranks that wait may as well have
// made a call too many. Ambiguous where those who did not come left no record, or one that stops early; they are named
// where the evidence leaves no others. Nothing where all who are awaited are in calls.
std::optional<Fault> find_absent(const Scenario& scenario, const model::Run& run);

// Ambiguous, where ranks have nothing pending and others wait of which the rings lost where: for whom, nobody knows.
std::optional<Fault> find_idle(const Scenario& scenario, const model::Run& run);

}  // namespace petri::diagnosis
