// The course of a scenario by the rules of the model, for exports that draw it.
#pragma once

#include "harness/diagnose/diagnose.hpp"
#include "harness/export/course.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

// From one run of the model under the strict assumption, in which what the record shows as completed is left: so as far
// as a diagnosis sees it. Times are the recorded ones where there are any, otherwise a step of the causal order takes a
// microsecond: a collective begins when all its members are there, a receive when its send is, a wait when what it
// waits for is. Recorded times are of clocks of their own; they are moved later where that order demands it. The return
// of a call is not recorded: it is drawn for a millisecond at most, and not beyond the next call. Linear in the events,
// up to a logarithm.
Course course_of(const Scenario& scenario, const Diagnosis& diagnosis);

}  // namespace petri::cli
