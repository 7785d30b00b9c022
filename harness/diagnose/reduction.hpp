// One reduction of a scenario as numbers: who contributes what, and in which orders it is to be evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/run.hpp"
#include "harness/trace/scenario.hpp"
#include "kernels/order/catalogue.hpp"
#include "kernels/order/evaluate.hpp"

namespace petri::diagnosis {

struct Reduction {
  std::vector<EventRef> calls;  // by group rank
  std::vector<std::string> orders;
  order::Shape shape;
  ReduceOp op = ReduceOp::unknown;
  std::vector<Payload> payloads;  // by group rank

  order::Contribution contribution() const;  // this object must outlive it
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

// How an order is evaluated once: one of its runs, as one rank computes it.
struct Variant {
  std::size_t order = 0;  // index in Reduction::orders
  std::string name;       // of this run: "arrival:3"
  std::int32_t rank = 0;  // group rank whose view it is
};

// Where the results of two variants are not the same.
struct Difference {
  enum class Kind : std::uint8_t { ranks, runs, orders, nan } kind = Kind::orders;
  std::uint64_t element = 0;
  Variant one, other;
  std::string one_value, other_value;
  std::vector<std::int32_t> minority;  // group ranks, where ranks of one run disagree
};

// The first element in which something differs, and of what differs there the kind that is told first. Takes time in
// proportion to the elements before it, and memory for some tiles. Orders that no catalogue knows are left out.
std::optional<Difference> first_difference(const Reduction& reduction);

}  // namespace petri::diagnosis
