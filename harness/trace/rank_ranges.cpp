#include "harness/trace/rank_ranges.hpp"

#include <cstddef>

namespace petri {
namespace {

constexpr std::size_t kMostInWords = 80;  // characters of a list in a sentence

// "3", "3,4", "3-5".
std::string range_text(std::int32_t first, std::int32_t last) {
  std::string text = std::to_string(first);
  if (last > first) text += (last == first + 1 ? "," : "-") + std::to_string(last);
  return text;
}

// Where the run of successive ranks ends that begins at a place.
std::size_t end_of_run(const std::vector<std::int32_t>& ranks, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
  return end;
}

}  // namespace

std::string rank_ranges(const std::vector<std::int32_t>& ranks) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    end = end_of_run(ranks, begin);
    if (!out.empty()) out += ',';
    out += range_text(ranks[begin], ranks[end - 1]);
  }
  return out.empty() ? "none" : out;
}

std::string ranks_in_words(const std::vector<std::int32_t>& ranks) {
  if (ranks.empty()) return "no rank";
  std::string list = rank_ranges(ranks);
  if (list.size() <= kMostInWords) return (ranks.size() == 1 ? "rank " : "ranks ") + list;
  list.clear();
  std::size_t told = 0;
  while (told < ranks.size()) {
    const std::size_t end = end_of_run(ranks, told);
    const std::string next = (told == 0 ? "" : ",") + range_text(ranks[told], ranks[end - 1]);
    if (list.size() + next.size() > kMostInWords - 20) break;  // what follows says how many others there are
    list += next;
    told = end;
  }
  const std::size_t others = ranks.size() - told;
  return "ranks " + list + " and " + std::to_string(others) + (others == 1 ? " other" : " others");
}

}  // namespace petri
