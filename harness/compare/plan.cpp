#include "harness/compare/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "harness/compare/work.hpp"
#include "harness/trace/counted.hpp"
#include "kernels/order/allowance.hpp"

namespace petri::compare {
namespace {

constexpr std::size_t kFewestElements = 64;  // below, a step takes longer to begin than to do
// Of one element of a result, with the stack that it is made on; and of an evaluator without them.
constexpr std::uint64_t kBytesOfResult = 64, kBytesOfEvaluator = 512;

constexpr double kMostWork = 0x1p62;  // at a billion and a half a second, on one thread

}  // namespace

Plan::Run::Run(order::Reduction made) : reduction(std::move(made)) {
  for (std::size_t view = 0; view < reduction.order.views.size(); ++view)
    evaluators.emplace_back(reduction.order, reduction.arithmetic, static_cast<std::int32_t>(view));
}

Plan::Plan(const Reductions& reductions) : all(reductions) {
  for (std::size_t i = 0; i < all.configurations.size(); ++i) add(i);
  share_memory();
  estimate_work();
}

void Plan::add(std::size_t number) {
  const Configuration& c = all.configurations[number];
  if (const auto problem = problem_of(c, all.op, all.count)) throw std::invalid_argument(*problem);
  Way& way = ways.emplace_back();
  if (c.measured) way.measured = &measurement_of(number);
  if (!c.kernel && !c.measured) add_runs(c, way);
  way.tile = tile_of(c.ranks, c.type);
  way.exact = all.spread_rows > 0 ? tile_of(all.spread_rows, c.type) : way.tile;
  way.baseline = number;
  for (std::size_t before = number + 1; before-- > 0;)
    if (same_numbers(all, c, all.configurations[before])) way.baseline = before;
  for (const Configuration& other : all.configurations)
    if (same_numbers(all, c, other) && coarser(c.type, other.type) == other.type &&
        std::find(way.digest_types.begin(), way.digest_types.end(), other.type) == way.digest_types.end())
      way.digest_types.push_back(other.type);
}

const Measurement& Plan::measurement_of(std::size_t number) const {
  const auto bytes = all.count * size_of(all.configurations[number].type);
  const auto whole = [&](const auto& result) { return result.size() == bytes; };
  if (all.measured)
    if (const auto found = all.measured->of.find(number); found != all.measured->of.end())
      if (const Measurement& m = found->second;
          m.prediction < number && !m.runs.empty() && std::all_of(m.results.begin(), m.results.end(), whole))
        return m;
  throw std::invalid_argument("there is no such measurement");
}

void Plan::add_runs(const Configuration& c, Way& way) {
  const std::vector<std::string> runs = order::runs_of(c.order, all.runs);
  require_room(runs.size() * static_cast<std::uint64_t>(c.ranks) * sizeof(order::Step));  // for a tree each
  for (const std::string& name : runs) {
    auto made = order::reduction_named(name, shape_of(c, all.count), all.op);
    require_room(order::bytes_of(made->order));
    bytes_ += order::bytes_of(made->order);
    way.runs.emplace_back(std::move(*made));
  }
}

void Plan::require_room(std::uint64_t bytes) const {
  if (bytes > order::kMostOrderBytes - bytes_)
    throw order::TooLarge(
        fmt::format("the orders together have trees and parts of more than {} MiB", order::kMostOrderBytes >> 20));
}

std::size_t Plan::tile_of(std::int32_t ranks, ElementType type) {
  const std::pair data{ranks, type};
  const auto found = std::find(tiles.begin(), tiles.end(), data);
  if (found != tiles.end()) return static_cast<std::size_t>(found - tiles.begin());
  tiles.push_back(data);
  return tiles.size() - 1;
}

void Plan::share_memory() {
  std::uint64_t of_element = 0, evaluators = 0, largest = 1;
  for (const auto& [ranks, type] : tiles) {
    const std::uint64_t column = static_cast<std::uint64_t>(ranks) * size_of(type);
    largest = std::max(largest, column);
    of_element += 2 * column;  // as rows, and as columns
  }
  for (const Way& way : ways)
    for (const Run& run : way.runs) evaluators += run.evaluators.size();
  of_element += (evaluators + ways.size()) * kBytesOfResult;
  const std::uint64_t fixed = evaluators * kBytesOfEvaluator;
  tile_count = std::clamp<std::size_t>(kTileBytes / largest, kFewestElements, order::Evaluator::kTile);
  const std::uint64_t each = fixed + of_element * std::min(tile_count, kFewestElements);
  threads = static_cast<int>(std::clamp<std::uint64_t>(kMostBytes / each, 1, static_cast<std::uint64_t>(all.threads)));
  const std::uint64_t share = kMostBytes / static_cast<std::uint64_t>(threads);
  tile_count = std::min<std::size_t>(tile_count, share > fixed ? (share - fixed) / of_element : 0);
  if (tile_count == 0)
    throw order::TooLarge(
        fmt::format("one element of all contributions and results takes more than {} MiB", kMostBytes >> 20));
}

void Plan::estimate_work() {
  double of_element = 0;
  for (const auto& [ranks, type] : tiles) {
    of_element += static_cast<double>(std::max(ranks, all.spread_rows)) * kCostOfContribution;
    of_element += static_cast<double>(ranks) * kCostOfExact;
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto ranks = static_cast<double>(all.configurations[i].ranks);
    if (all.configurations[i].kernel) of_element += ranks * kCostOfExact;
    for (const Run& run : ways[i].runs) of_element += static_cast<double>(run.evaluators.size()) * ranks;
    of_element += static_cast<double>(std::max<std::size_t>(ways[i].runs.size(), 1)) * kCostOfError;
  }
  work = of_element * static_cast<double>(all.count);
  if (work > kMostWork)
    throw order::TooLarge(
        fmt::format("{} in {} are {:.1e} numbers to make and combine, and more than {:.1e} take a century",
                    counted(all.count, "element"), counted(ways.size(), "configuration"), work, kMostWork));
}

}  // namespace petri::compare
