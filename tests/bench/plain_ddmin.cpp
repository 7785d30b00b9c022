#include "tests/bench/plain_ddmin.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "reducers/repair.hpp"

namespace petri::bench {
namespace {

using Items = std::vector<std::uint32_t>;
using reduce::Selection;

std::vector<Items> parts_of(const Items& items, std::size_t parts) {
  std::vector<Items> all;
  for (std::size_t i = 0; i < parts; ++i) {
    const auto at = [&](std::size_t part) {
      return items.begin() + static_cast<std::ptrdiff_t>(items.size() * part / parts);
    };
    all.emplace_back(at(i), at(i + 1));
  }
  return all;
}

Items without(const Items& items, const Items& part) {
  Items rest;
  std::set_difference(items.begin(), items.end(), part.begin(), part.end(), std::back_inserter(rest));
  return rest;
}

std::vector<EventRef> events_of(const Scenario& scenario) {
  std::vector<EventRef> all;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank)
    for (std::uint32_t i = 0; i < scenario.ranks[rank].events.size(); ++i)
      all.push_back({static_cast<std::int32_t>(rank), i});
  return all;
}

Items numbers_below(std::size_t end) {
  Items items(end);
  std::iota(items.begin(), items.end(), 0U);
  return items;
}

}  // namespace

Items ddmin(Items items, const std::function<bool(const Items&)>& fails, const std::function<bool()>& stop) {
  for (std::size_t parts = 2; items.size() >= 2 && !stop();) {
    const std::vector<Items> subsets = parts_of(items, parts);
    std::optional<Items> smaller;
    for (std::size_t i = 0; i < parts && !smaller && !stop(); ++i)
      if (fails(subsets[i])) smaller = subsets[i];
    if (smaller) {
      items = std::move(*smaller);
      parts = 2;
      continue;
    }
    for (std::size_t i = 0; i < parts && !smaller && parts > 2 && !stop(); ++i)
      if (Items rest = without(items, subsets[i]); fails(rest)) smaller = std::move(rest);
    if (smaller) {
      items = std::move(*smaller);
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (parts < items.size()) {
      parts = std::min(parts * 2, items.size());
    } else {
      break;
    }
  }
  return items;
}

PlainResult plain_ddmin(const Scenario& input, const std::function<bool(const Scenario&)>& fails,
                        const std::function<bool()>& stop) {
  PlainResult result;
  const auto judge = [&](const Scenario& base, const Selection& keep) {
    std::optional<Scenario> candidate = reduce::cut(base, keep);
    ++result.tests;
    if (!candidate || !fails(*candidate)) return false;
    result.scenario = std::move(*candidate);
    return true;
  };
  result.scenario = input;
  ddmin(
      numbers_below(input.ranks.size()),
      [&](const Items& ranks) {
        Selection keep = Selection::all(input);
        std::fill(keep.ranks.begin(), keep.ranks.end(), 0);
        for (const std::uint32_t rank : ranks) keep.ranks[rank] = 1;
        return judge(input, keep);
      },
      stop);
  const Scenario base = result.scenario;
  const std::vector<EventRef> events = events_of(base);
  ddmin(
      numbers_below(events.size()),
      [&](const Items& kept) {
        Selection keep = Selection::no_events(base);
        for (const std::uint32_t event : kept) keep.keep(events[event]);
        return judge(base, keep);
      },
      stop);
  result.finished = !stop();
  return result;
}

}  // namespace petri::bench
