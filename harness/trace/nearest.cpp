#include "harness/trace/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace petri {
namespace {

constexpr std::size_t kLongestName = 40;

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view text, std::span<const std::string_view> names) {
  if (text.size() > kLongestName) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = text.size() / 3 + 1;  // a third of the letters may be wrong
  for (const std::string_view name : names) {
    const std::size_t d = distance(text, name);
    if (d < best_distance || (d == best_distance && !best)) {
      best = name;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace petri
