// A collective that a few ranks of a cycle reach from another call site than all the others: most likely another call.
#pragma once

#include <optional>

#include "harness/diagnose/deadlock_case.hpp"
#include "harness/diagnose/testimony.hpp"

namespace petri::diagnosis {

// Those few. Nothing where sites are not recorded, or where roots and others may call from different lines.
std::optional<Testimony> odd_site(const DeadlockCase& deadlock);

}  // namespace petri::diagnosis
