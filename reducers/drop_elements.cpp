#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "harness/trace/forget_buffers.hpp"
#include "harness/trace/payload.hpp"
#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

// Beyond this the numbers are not written out: payload from a generator stays a line, and its count alone can shrink.
constexpr std::int64_t kMostElements = 65536;

// Does this event say which numbers it contributes, and are they few enough?
bool has_numbers(const Event& event) {
  return has_payload(event) && event.count > 1 && event.count <= kMostElements;
}

// Some member of a reduction names the orders in which it is evaluated.
bool names_orders(const Scenario& scenario) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [](const RankTrace& rank) {
    return std::any_of(rank.events.begin(), rank.events.end(),
                       [](const Event& event) { return !event.extras.orders().empty(); });
  });
}

// What goes from all reductions of `count` elements: members of one have the same count, and keep it so.
struct Chunk {
  std::int64_t count = 0, first = 0, size = 0;
};

std::vector<double> values_without(const Event& event, std::int32_t rank, const Chunk& chunk) {
  const Payload payload = payload_of(event);
  std::vector<double> values;
  for (std::int64_t i = 0; i < chunk.count; ++i)
    if (i < chunk.first || i >= chunk.first + chunk.size)
      values.push_back(value_at(payload, rank, static_cast<std::uint64_t>(i)));
  return values;
}

Scenario without(const Scenario& scenario, const Chunk& chunk) {
  Scenario result = scenario;
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    for (Event& event : result.ranks[rank].events) {
      if (!has_numbers(event) || event.count != chunk.count) continue;
      event.extras.set_values(values_without(event, static_cast<std::int32_t>(rank), chunk));
      event.extras.set_fill(std::nullopt);
      forget_buffers(event);
      event.count -= chunk.size;
    }
  return result;
}

// Halves, quarters … and single elements of each count, from the end: what is left is mostly the first ones.
std::vector<Proposal> proposals(const ScenarioPtr& base) {
  if (!names_orders(*base)) return {};
  std::set<std::int64_t> counts;
  for (const RankTrace& rank : base->ranks)
    for (const Event& event : rank.events)
      if (has_numbers(event)) counts.insert(event.count);
  std::vector<Proposal> list;
  for (const std::int64_t count : counts)
    for (std::int64_t size = (count + 1) / 2; size > 0; size = size == 1 ? 0 : (size + 1) / 2)
      for (std::int64_t end = count; end > 0; end -= size) {
        const std::int64_t first = std::max<std::int64_t>(end - size, 0);
        list.emplace_back([base, chunk = Chunk{count, first, end - first}] { return without(*base, chunk); });
      }
  return list;
}

class DropElements final : public Pass {
 public:
  std::string_view name() const override { return "drop elements"; }
  bool may_meet_others() const override { return false; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext&) const override {
    return try_in_order(current, proposals);
  }
};

}  // namespace

PassPtr drop_elements() {
  return std::make_unique<DropElements>();
}

}  // namespace petri::reduce
