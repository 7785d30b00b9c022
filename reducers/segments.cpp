#include "reducers/segments.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace petri::reduce {
namespace {

constexpr std::uint32_t kFewestRepetitions = 3;

// What makes two calls of one rank the same line of its program.
using Token = std::tuple<Op, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::uint32_t>;

Token token_of(const Event& event) {
  return {event.op, event.comm, event.peer, event.tag, event.root, event.site};
}

struct Occurrences {
  std::uint32_t times = 0;
  std::uint32_t first = 0;  // index of the first one
};

std::map<Token, Occurrences> count_tokens(const RankTrace& rank) {
  std::map<Token, Occurrences> counts;
  for (std::uint32_t i = 0; i < rank.events.size(); ++i) {
    Occurrences& seen = counts[token_of(rank.events[i])];
    if (seen.times++ == 0) seen.first = i;
  }
  return counts;
}

// How often each rank makes the calls that it makes often, ascending and each number once.
std::vector<std::vector<std::uint32_t>> repeated_counts(const std::vector<std::map<Token, Occurrences>>& tokens) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const auto& counts : tokens) {
    std::vector<std::uint32_t>& here = all.emplace_back();
    for (const auto& [token, seen] : counts) {
      if (seen.times >= kFewestRepetitions) here.push_back(seen.times);
    }
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
  }
  return all;
}

// How often the job repeats itself; 0 when it does not.
std::uint32_t repetitions_of(const std::vector<std::map<Token, Occurrences>>& tokens) {
  std::map<std::uint32_t, std::uint32_t> ranks_with;  // a call that often, or once less or more
  for (const auto& counts : repeated_counts(tokens)) {
    std::set<std::uint32_t> near;
    for (const std::uint32_t times : counts) near.insert({times - 1, times, times + 1});
    for (const std::uint32_t times : near) ++ranks_with[times];
  }
  std::uint32_t best = 0;
  std::uint32_t support = 0;
  for (const auto& [times, ranks] : ranks_with) {
    if (ranks > support) std::tie(best, support) = std::pair{times, ranks};
  }
  return best;
}

std::optional<Token> delimiter_of(const std::map<Token, Occurrences>& counts, std::uint32_t repetitions) {
  std::optional<Token> best;
  std::pair<std::uint32_t, std::uint32_t> rank_of_best{2, 0};  // distance from the repetitions, then place
  for (const auto& [token, seen] : counts) {
    const std::uint32_t off = seen.times > repetitions ? seen.times - repetitions : repetitions - seen.times;
    const std::pair rank{off, seen.first};
    if (rank < rank_of_best) std::tie(best, rank_of_best) = std::pair{std::optional(token), rank};
  }
  return best;
}

}  // namespace

std::vector<std::vector<std::int32_t>> find_segments(const Scenario& scenario) {
  std::vector<std::map<Token, Occurrences>> tokens;
  for (const RankTrace& rank : scenario.ranks) tokens.push_back(count_tokens(rank));
  const std::uint32_t repetitions = repetitions_of(tokens);
  std::vector<std::vector<std::int32_t>> segments;
  for (std::size_t rank = 0; rank < tokens.size(); ++rank) {
    const std::vector<Event>& events = scenario.ranks[rank].events;
    std::vector<std::int32_t>& of = segments.emplace_back(events.size(), kNoSegment);
    const auto delimiter = repetitions == 0 ? std::nullopt : delimiter_of(tokens[rank], repetitions);
    if (!delimiter) continue;
    std::int32_t segment = kNoSegment;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (token_of(events[i]) == *delimiter) ++segment;
      of[i] = segment;
    }
  }
  return segments;
}

}  // namespace petri::reduce
