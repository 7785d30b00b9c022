#include "harness/diagnose/reduction.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/trace/payload.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/order/allowance.hpp"

namespace petri::diagnosis {
namespace {

// Host of each rank, numbered by first appearance.
std::vector<std::int32_t> hosts_of(const Scenario& scenario, const std::vector<std::int32_t>& members) {
  std::vector<std::int32_t> hosts;
  if (scenario.header.hosts.empty()) return hosts;
  std::map<std::string, std::int32_t> numbers;
  for (const std::int32_t member : members) {
    const std::string& host = scenario.header.hosts[static_cast<std::size_t>(member)];
    hosts.push_back(numbers.try_emplace(host, static_cast<std::int32_t>(numbers.size())).first->second);
  }
  return hosts;
}

bool is_scattered(const Event& event) {
  return info(event.op).family == "reduce_scatter" || info(event.op).family == "reduce_scatter_block";
}

// Elements that each rank gets of a scattered result, where they are listed; `count` is the caller's own then.
PackedNumbers<std::int64_t> blocks_of(const Event& event) {
  const auto& extras = event.extras;
  return extras.recvcounts().empty() ? extras.counts() : extras.recvcounts();
}

// Elements of the vector that is reduced; a scattered one is as long as all pieces together. More than can be reduced
// are kMostContributions.
std::optional<std::uint64_t> count_of(const Event& event, std::size_t ranks) {
  constexpr std::uint64_t kMost = order::kMostContributions;
  const auto blocks = blocks_of(event);
  if (is_scattered(event) && !blocks.empty()) {
    std::uint64_t sum = 0;
    for (const std::int64_t count : blocks) {
      if (count < 0) return std::nullopt;
      sum = std::min(kMost, sum + std::min(kMost, static_cast<std::uint64_t>(count)));
    }
    return sum;
  }
  if (event.count < 0) return std::nullopt;
  const auto count = static_cast<std::uint64_t>(event.count);
  if (!is_scattered(event)) return std::min(kMost, count);
  return count > kMost / ranks ? kMost : count * ranks;
}

// Do both calls ask for one reduction? Where they do not, a mismatch is told, and there is nothing to evaluate.
bool agree(const Event& one, const Event& other) {
  const bool listed = is_scattered(one) && !blocks_of(one).empty();
  return one.op == other.op && one.dtype == other.dtype && one.reduce == other.reduce && one.root == other.root &&
         (listed || one.count == other.count) && blocks_of(one) == blocks_of(other);
}

// Those of all members: each may name some.
std::vector<std::string> orders_of(const Scenario& scenario, const std::vector<EventRef>& calls) {
  std::vector<std::string> orders = at(scenario, calls.front()).extras.orders();
  std::set<std::string> known(orders.begin(), orders.end());
  for (const EventRef& call : calls)
    for (const std::string& order : at(scenario, call).extras.orders())
      if (known.insert(order).second) orders.push_back(order);
  return orders;
}

std::optional<Reduction> numbers_of(const Scenario& scenario, const model::Run& run,
                                    const model::Gathering& gathering) {
  if (gathering.conflicted || gathering.first == model::kAbsent || !run.gatherings.complete(gathering))
    return std::nullopt;
  const std::vector<std::int32_t>& members = run.gatherings.members(gathering);
  Reduction reduction;
  for (std::size_t member = 0; member < members.size(); ++member) {
    if (gathering.arrivals[member] >= model::kBefore) return std::nullopt;
    const EventRef ref{members[member], gathering.arrivals[member]};
    if (!has_payload(at(scenario, ref))) return std::nullopt;
    reduction.calls.push_back(ref);
    reduction.payloads.push_back(payload_of(at(scenario, ref)));
  }
  const Event& first = at(scenario, reduction.calls.front());
  for (const EventRef& call : reduction.calls)
    if (!agree(first, at(scenario, call))) return std::nullopt;
  const auto count = count_of(first, members.size());
  if (!count || first.dtype == ElementType::unknown || first.reduce == ReduceOp::unknown) return std::nullopt;
  reduction.orders = orders_of(scenario, reduction.calls);
  reduction.op = first.reduce;
  reduction.shape = {.ranks = static_cast<std::int32_t>(members.size()),
                     .count = *count,
                     .type = first.dtype,
                     .hosts = hosts_of(scenario, members)};
  return reduction;
}

}  // namespace

void Reduction::write(std::int32_t rank, ElementType type, std::uint64_t first, std::size_t count, std::byte* out,
                      kernels::ConversionLoss* loss) const {
  const auto member = static_cast<std::size_t>(rank);
  kernels::write_payload(payloads[member], calls[member].rank, type, first, count, out, loss);
}

bool names_orders(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  if (gathering.conflicted || gathering.first == model::kAbsent) return false;
  const std::vector<std::int32_t>& members = run.gatherings.members(gathering);
  const auto orders_at = [&](std::size_t member) {
    return !at(scenario, {members[member], gathering.arrivals[member]}).extras.orders().empty();
  };
  // Nearly all reductions of a large job have no numbers: one look is enough for them.
  if (!has_payload(at(scenario, {members[gathering.first], gathering.arrivals[gathering.first]})))
    return orders_at(gathering.first);
  for (std::size_t member = 0; member < members.size(); ++member)
    if (gathering.arrivals[member] < model::kBefore && orders_at(member)) return true;
  return false;
}

std::optional<Reduction> reduction_of(const Scenario& scenario, const model::Run& run,
                                      const model::Gathering& gathering) {
  if (!names_orders(scenario, run, gathering)) return std::nullopt;
  return numbers_of(scenario, run, gathering);
}

std::vector<Reduction> reductions_of(const Scenario& scenario) {
  const model::Run run = model::run(scenario, {model::kUnlimited, true});
  std::vector<Reduction> reductions;
  for (const model::Gathering& gathering : run.gatherings.all())
    if (auto reduction = numbers_of(scenario, run, gathering)) reductions.push_back(std::move(*reduction));
  return reductions;
}

}  // namespace petri::diagnosis
