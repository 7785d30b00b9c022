#include "harness/import/chakra_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace petri {

void ChakraOrder::Edges::add(std::uint64_t id, const std::vector<std::uint64_t>& more) {
  for (const std::uint64_t dep : more) ascends = ascends && dep < id;
  deps.insert(deps.end(), more.begin(), more.end());
  ends.push_back(deps.size());
}

void ChakraOrder::add(std::uint64_t id, const std::vector<std::uint64_t>& data,
                      const std::vector<std::uint64_t>& control) {
  data_.add(id, data);
  control_.add(id, control);
  ids_.push_back(id);
}

std::vector<std::uint32_t> ChakraOrder::order(Kept& kept) const {
  std::vector<std::uint32_t> by_id(ids_.size());
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::stable_sort(by_id.begin(), by_id.end(), [&](std::uint32_t a, std::uint32_t b) { return ids_[a] < ids_[b]; });
  kept = Kept::all;
  if (data_.ascends && control_.ascends) return by_id;
  std::vector<std::uint32_t> order = ready_ones(by_id, true);
  if (order.size() == ids_.size()) return order;
  kept = Kept::data;
  if (data_.ascends) return by_id;
  order = ready_ones(by_id, false);
  if (order.size() == ids_.size()) return order;
  kept = Kept::part;
  std::vector<bool> placed(ids_.size());
  for (const std::uint32_t node : order) placed[node] = true;
  for (const std::uint32_t node : by_id)
    if (!placed[node]) order.push_back(node);
  return order;
}

// Place in by_id of the first node with this id; nothing where there is none.
std::optional<std::uint32_t> ChakraOrder::find(const std::vector<std::uint32_t>& by_id, std::uint64_t id) const {
  const auto found = std::lower_bound(by_id.begin(), by_id.end(), id,
                                      [&](std::uint32_t node, std::uint64_t wanted) { return ids_[node] < wanted; });
  if (found == by_id.end() || ids_[*found] != id) return std::nullopt;
  return static_cast<std::uint32_t>(found - by_id.begin());
}

std::vector<std::uint32_t> ChakraOrder::ready_ones(const std::vector<std::uint32_t>& by_id, bool with_control) const {
  const auto nodes = static_cast<std::uint32_t>(by_id.size());
  std::vector<std::uint32_t> waits(nodes);                     // by place in by_id: for how many
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // from what is waited for to what waits
  edges.reserve(data_.deps.size() + (with_control ? control_.deps.size() : 0));
  for (std::uint32_t place = 0; place < nodes; ++place) {
    const std::uint32_t node = by_id[place];
    for (const Edges* kind : {&data_, with_control ? &control_ : nullptr}) {
      if (kind == nullptr) continue;
      for (std::size_t i = node == 0 ? 0 : kind->ends[node - 1]; i < kind->ends[node]; ++i) {
        const std::optional<std::uint32_t> before = find(by_id, kind->deps[i]);
        if (!before || *before == place) continue;
        edges.emplace_back(*before, place);
        ++waits[place];
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t place = 0; place < nodes; ++place)
    if (waits[place] == 0) ready.push(place);
  std::vector<std::uint32_t> order;
  order.reserve(nodes);
  while (!ready.empty()) {
    const std::uint32_t place = ready.top();
    ready.pop();
    order.push_back(by_id[place]);
    for (auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair{place, std::uint32_t{0}});
         edge != edges.end() && edge->first == place; ++edge)
      if (--waits[edge->second] == 0) ready.push(edge->second);
  }
  return order;
}

}  // namespace petri
