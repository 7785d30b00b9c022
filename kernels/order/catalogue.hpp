// Orders by name, as they stand in a scenario, on a command line and in a table.
//
//   NAME[:NUMBER][@TYPE]     sequential, tree:2, ring:3@float32, arrival:7, …
//   LIBRARY-VERSION/…        what a library does, see libraries.hpp and the library's header
//
// NUMBER is the one that the order takes (arity, channels, blocks, seed). TYPE widens: contributions are combined in
// it, and the result alone is rounded back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/arithmetic.hpp"
#include "kernels/order/allowance.hpp"
#include "kernels/order/order.hpp"

namespace petri::order {

// An order, and how two operands are combined in it.
struct Reduction {
  Order order;
  kernels::Arithmetic arithmetic;
};

// Nothing for a name that is not in the catalogue, a number that the order does not take, or a type or operation that
// it is not defined for. The order's name is `name`. Throws TooLarge for an order of more than kMostOrderBytes, and for
// a shape of more than kMostContributions.
std::optional<Reduction> reduction_named(std::string_view name, const Shape& shape, ReduceOp op);

// Why reduction_named makes nothing of a name, for messages.
struct NameProblem {
  std::string reason;  // e.g. "CHANNELS of ring is from 1 to 65536, not 1000000"
  // The name in parts, where one of its words may be mistyped, and what may stand in its place.
  std::string before, word, after;
  std::vector<std::string_view> known = {};
  std::string meant = {};  // a whole name, where another word for an order is known
};
// Of a name that reduction_named makes nothing of.
NameProblem problem_of(std::string_view name, const Shape& shape, ReduceOp op);

// The orders that several runs of `name` may have: of an order that its name alone does not decide, such as "arrival",
// a sample of so many, with numbers; otherwise the name itself.
std::vector<std::string> runs_of(std::string_view name, std::size_t runs = 8);

// A line of the catalogue: how it is written, and what it is.
struct CatalogueLine {
  std::string_view form, text;
};
const std::vector<CatalogueLine>& catalogue();

}  // namespace petri::order
