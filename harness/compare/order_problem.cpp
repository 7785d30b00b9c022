#include "harness/compare/order_problem.hpp"

#include <fmt/format.h>

#include "harness/trace/counted.hpp"
#include "harness/trace/nearest.hpp"
#include "harness/trace/printable.hpp"

namespace petri::compare {
namespace {

// The whole name that may be meant; empty where none is near.
std::string meant_by(const order::NameProblem& problem, const order::Shape& shape, ReduceOp op) {
  std::string meant = problem.meant;
  if (meant.empty())
    if (const auto word = nearest(problem.word, problem.known))
      meant = fmt::format("{}{}{}", problem.before, *word, problem.after);
  try {
    if (meant.empty() || !order::reduction_named(meant, shape, op)) return {};
  } catch (const order::TooLarge&) {
    return {};
  }
  return meant;
}

}  // namespace

std::string text_of_problem(std::string_view name, const order::Shape& shape, ReduceOp op) {
  const order::NameProblem problem = order::problem_of(name, shape, op);
  const std::string meant = meant_by(problem, shape, op);
  return printable_line(fmt::format("there is no order '{}' for {} {} on {}: {}{}", name, petri::name_of(shape.type),
                                    petri::name_of(op), counted(static_cast<std::uint64_t>(shape.ranks), "rank"),
                                    problem.reason, meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

}  // namespace petri::compare
