// One reduction of a scenario as numbers: who contributes what, and in which orders it is to be evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/run.hpp"
#include "harness/trace/scenario.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/order/order.hpp"

namespace petri::diagnosis {

// A count of order::kMostContributions stands for more than can be reduced.
struct Reduction {
  std::vector<EventRef> calls;  // by group rank
  std::vector<std::string> orders;
  order::Shape shape;
  ReduceOp op = ReduceOp::unknown;
  std::vector<Payload> payloads;  // by group rank

  // Elements [first, first + count) of what group rank `rank` contributes, in whatever type.
  void write(std::int32_t rank, ElementType type, std::uint64_t first, std::size_t count, std::byte* out,
             kernels::ConversionLoss* loss = nullptr) const;
};

// A reduction that all members joined and that names orders; nothing for other gatherings, and where the type, the
// operation, the count or somebody's payload is not known.
std::optional<Reduction> reduction_of(const Scenario& scenario, const model::Run& run,
                                      const model::Gathering& gathering);
// Those that all members joined and of which type, operation, count and payload are known, whether or not they name
// orders, in the order in which they met; in a run in which no send waits.
std::vector<Reduction> reductions_of(const Scenario& scenario);
// Does one of its calls name orders?
bool names_orders(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering);

}  // namespace petri::diagnosis
