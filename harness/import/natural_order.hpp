// The order of names in which numbers count as numbers: rank_2 before rank_10.
#pragma once

#include <string>

namespace petri {

// Strict: names that differ in leading zeros only have an order, too.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace petri
