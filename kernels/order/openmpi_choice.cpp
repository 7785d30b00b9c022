#include "kernels/order/openmpi_choice.hpp"

#include <algorithm>
#include <limits>

namespace petri::order::openmpi {
namespace {

constexpr std::uint64_t K = 1024, M = 1024 * K;
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

struct Rule {
  std::uint64_t bytes_below;
  std::int32_t algorithm;
};
struct Row {
  std::uint64_t ranks_below;
  std::vector<Rule> rules;
};
using Table = std::vector<Row>;

// clang-format off
// With an operation that does not commute.
const Table kAllreduceInOrder{
    {4, {{128 * K, 3}, {kAny, 1}}},
    {8, {{kAny, 3}}},
    {16, {{1 * M, 3}, {kAny, 2}}},
    {128, {{kAny, 3}}},
    {256, {{128 * K, 2}, {512 * K, 3}, {kAny, 2}}},
    {512, {{4 * K, 2}, {512 * K, 3}, {kAny, 2}}},
    {kAny, {{2 * K, 2}, {kAny, 3}}},
};
const Table kReduceInOrder{
    {4, {{8, 6}, {kAny, 1}}},
    {8, {{kAny, 1}}},
    {16, {{1 * K, 6}, {8 * K, 1}, {16 * K, 6}, {256 * K, 1}, {kAny, 6}}},
    {128, {{kAny, 6}}},
    {256, {{512, 6}, {1 * K, 1}, {kAny, 6}}},
    {kAny, {{kAny, 6}}},
};
const Table kFirstInOrder{
    {kAny, {{kAny, 1}}},
};

// With one that does.
const Table kAllreduce{
    {4, {{8, 4}, {4 * K, 3}, {8 * K, 4}, {16 * K, 3}, {64 * K, 4}, {256 * K, 5}, {kAny, 6}}},
    {8, {{16, 4}, {8 * K, 3}, {kAny, 6}}},
    {16, {{8 * K, 3}, {kAny, 6}}},
    {32, {{64, 5}, {4 * K, 3}, {kAny, 6}}},
    {64, {{128, 5}, {kAny, 6}}},
    {128, {{256 * K, 3}, {kAny, 6}}},
    {256, {{128 * K, 2}, {256 * K, 3}, {kAny, 6}}},
    {512, {{4 * K, 2}, {kAny, 6}}},
    {2048, {{2 * K, 2}, {16 * K, 3}, {kAny, 6}}},
    {4096, {{2 * K, 2}, {4 * K, 5}, {16 * K, 3}, {kAny, 6}}},
    {kAny, {{2 * K, 2}, {16 * K, 5}, {32 * K, 3}, {kAny, 6}}},
};
const Table kReduce{
    {4, {{8, 7}, {16, 4}, {32, 3}, {256 * K, 1}, {512 * K, 3}, {1 * M, 2}, {kAny, 3}}},
    {8, {{4 * K, 4}, {64 * K, 2}, {256 * K, 5}, {512 * K, 1}, {1 * M, 5}, {kAny, 1}}},
    {16, {{8 * K, 4}, {kAny, 5}}},
    {32, {{4 * K, 4}, {kAny, 5}}},
    {256, {{kAny, 5}}},
    {512, {{8 * K, 5}, {16 * K, 6}, {kAny, 5}}},
    {2048, {{kAny, 5}}},
    {4096, {{512, 5}, {1 * K, 6}, {8 * K, 5}, {16 * K, 6}, {kAny, 5}}},
    {kAny, {{16, 5}, {32, 6}, {1 * K, 5}, {2 * K, 6}, {8 * K, 5}, {16 * K, 6}, {kAny, 5}}},
};
const Table kReduceScatter{
    {4, {{64 * K, 3}, {128 * K, 4}, {kAny, 3}}},
    {8, {{8, 1}, {256 * K, 2}, {kAny, 3}}},
    {32, {{256 * K, 2}, {kAny, 3}}},
    {64, {{64, 1}, {2 * K, 2}, {512 * K, 4}, {kAny, 3}}},
    {128, {{256, 1}, {512, 2}, {2 * K, 4}, {4 * K, 2}, {kAny, 4}}},
    {256, {{256, 1}, {512, 2}, {kAny, 4}}},
    {512, {{256, 1}, {1 * K, 2}, {kAny, 4}}},
    {1024, {{512, 1}, {2 * K, 2}, {8 * K, 4}, {16 * K, 2}, {kAny, 4}}},
    {2048, {{512, 1}, {4 * K, 2}, {16 * K, 4}, {32 * K, 2}, {kAny, 4}}},
    {4096, {{512, 1}, {4 * K, 2}, {kAny, 4}}},
    {kAny, {{1 * K, 1}, {8 * K, 2}, {kAny, 4}}},
};
const Table kReduceScatterBlock{
    {4, {{4, 2}, {8, 4}, {16, 3}, {128, 4}, {256, 3}, {4 * K, 4}, {8 * K, 3}, {128 * K, 4}, {kAny, 1}}},
    {8, {{8, 3}, {32, 2}, {256, 4}, {8 * K, 3}, {16 * K, 4}, {1 * M, 3}, {kAny, 1}}},
    {16, {{4, 1}, {32, 3}, {128, 4}, {512 * K, 3}, {4 * M, 1}, {kAny, 4}}},
    {32, {{32, 1}, {512 * K, 3}, {2 * M, 1}, {4 * M, 3}, {kAny, 4}}},
    {kAny, {{4, 3}, {16, 1}, {64 * K, 4}, {256 * K, 1}, {kAny, 4}}},
};
// clang-format on

const std::vector<Rule>& rules_of(Decision decision, std::int32_t ranks, bool commutative) {
  const Table& table = [&]() -> const Table& {
    switch (decision) {
      case Decision::allreduce: return commutative ? kAllreduce : kAllreduceInOrder;
      case Decision::reduce: return commutative ? kReduce : kReduceInOrder;
      case Decision::reduce_scatter: return commutative ? kReduceScatter : kFirstInOrder;
      case Decision::reduce_scatter_block: return commutative ? kReduceScatterBlock : kFirstInOrder;
    }
    return kFirstInOrder;
  }();
  return std::find_if(table.begin(), table.end(),
                      [&](const Row& row) { return static_cast<std::uint64_t>(ranks) < row.ranks_below; })
      ->rules;
}

}  // namespace

std::int32_t usual_algorithm(Decision decision, std::int32_t ranks, std::uint64_t bytes, bool commutative) {
  const std::vector<Rule>& rules = rules_of(decision, ranks, commutative);
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return bytes < r.bytes_below; });
  return (rule == rules.end() ? rules.back() : *rule).algorithm;
}

std::vector<std::uint64_t> borders(Decision decision, std::int32_t ranks, bool commutative) {
  std::vector<std::uint64_t> all;
  for (const Rule& rule : rules_of(decision, ranks, commutative))
    if (rule.bytes_below != kAny) all.push_back(rule.bytes_below);
  return all;
}

}  // namespace petri::order::openmpi
