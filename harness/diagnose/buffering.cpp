#include "harness/diagnose/buffering.hpp"

#include <algorithm>
#include <set>

#include "harness/model/explore.hpp"
#include "harness/model/op_rules.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

namespace {

constexpr std::uint64_t kMostOrders = 50;  // looked at for each limit

}  // namespace

BufferingLimit buffering_limit(const Scenario& scenario, bool follow_record) {
  const auto hides = [&](std::int64_t limit) {
    bool blocks = false;
    model::explore(scenario, {limit, follow_record}, kMostOrders, [&](const model::Run& run) {
      blocks = !run.stuck.empty();
      return !blocks;
    });
    return !blocks;
  };
  if (!hides(model::kUnlimited)) return {true, std::nullopt};
  if (hides(0)) return {false, 0};  // no message is in it: the other sizes need not be asked for
  std::set<std::int64_t> sizes;
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events)
      if (kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::sendrecv)
        if (const std::int64_t bytes = model::bytes_of(model::send_half(event)); bytes >= 0) sizes.insert(bytes);
  // More buffering never blocks anybody: the limits that hide it are an upper part of the sizes.
  const std::vector<std::int64_t> sorted(sizes.begin(), sizes.end());
  const auto first =
      std::partition_point(sorted.begin(), sorted.end(), [&](std::int64_t limit) { return !hides(limit); });
  if (first == sorted.end()) return {false, std::nullopt};  // a message of unknown size is in it
  return {false, *first};
}

}  // namespace petri::diagnosis
