// Accesses of one window's memory that nothing orders, of which one spoils the other (MPI 4.1, sections 12.3 and 12.7).
//
// "It is erroneous to have concurrent conflicting accesses to the same memory location in a window": a put goes with
// nothing, a get with other gets, an accumulate with others of the same operation and type. An access is complete at a
// fence, a complete, an unlock or a flush; what its rank tells others after that orders it before what these do then.
// Loads and stores are not recorded and not looked for.
#pragma once

#include <vector>

#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {

// One fault for each window and kind of conflict; silent where the record does not hold all that could order two
// accesses, or where memory that is polled could.
std::vector<Fault> find_conflicts(const Scenario& scenario, const model::Run& run);

}  // namespace petri::diagnosis
