#include "harness/trace/rank_ranges.hpp"

#include <cstddef>

namespace petri {

std::string rank_ranges(const std::vector<std::int32_t>& ranks) {
  std::string out;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(ranks[i]);
    if (last > i) out += (last == i + 1 ? "," : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return out.empty() ? "none" : out;
}

}  // namespace petri
