// The events that a failure is made of: where a reduction begins.
#pragma once

#include <vector>

#include "harness/diagnose/diagnose.hpp"

namespace petri {

// The root cause's events, then the calls in which ranks are blocked. A rank that is blocked in a finalize which its
// record only implies has no event for it.
std::vector<EventRef> failure_events(const Scenario& scenario, const Diagnosis& diagnosis);

}  // namespace petri
