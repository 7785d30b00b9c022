// Sets of ranks as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petri {

// "0-4,6-15" for ascending ranks; "none" for none.
std::string rank_ranges(const std::vector<std::int32_t>& ranks);

// For sentences: "rank 5", "ranks 0-4,6-15", "no rank". Of a list that would take more than about a line only the
// beginning, and how many are left out: "ranks 0,2,4,6 and 508 others". `ranks` ascend.
std::string ranks_in_words(const std::vector<std::int32_t>& ranks);

}  // namespace petri
