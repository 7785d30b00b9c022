// Sets of ranks as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petri {

// "0-4,6-15" for ascending ranks; "none" for none.
std::string rank_ranges(const std::vector<std::int32_t>& ranks);

}  // namespace petri
