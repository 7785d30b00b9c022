// `petri compare`: one reduction in many ways.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "harness/cli/command.hpp"
#include "harness/cli/compare_options.hpp"
#include "harness/cli/compare_plot.hpp"
#include "harness/cli/locate.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/compare/side_by_side.hpp"
#include "harness/diagnose/reduction.hpp"
#include "harness/report/comparison.hpp"
#include "harness/trace/error.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/order/catalogue.hpp"

namespace petri::cli {
namespace {

using compare::Configuration;

// What is reduced, and in what shapes.
struct Task {
  compare::Reductions reductions;
  ComparedNumbers numbers;
};

void print_catalogue() {
  std::size_t width = 0;
  for (const order::CatalogueLine& line : order::catalogue()) width = std::max(width, line.form.size());
  for (const order::CatalogueLine& line : order::catalogue()) fmt::print("{:<{}}  {}\n", line.form, width, line.text);
  fmt::print("{:<{}}  {}\n", "…@TYPE", width,
             "contributions are combined in TYPE, and the result alone is rounded back");
}

std::vector<std::int32_t> hosts_of(const Layout& layout) {
  std::vector<std::int32_t> hosts;
  for (std::int32_t rank = 0; rank < layout.ranks(); ++rank) hosts.push_back(rank / layout.ranks_of_each);
  return hosts;
}

// Numbers of ranks with their layouts; one without layouts has all its ranks on one host.
std::vector<Configuration> shapes_of(const CompareArguments& a) {
  std::vector<std::int32_t> ranks = a.ranks;
  for (const Layout& layout : a.layouts)
    if (std::find(ranks.begin(), ranks.end(), layout.ranks()) == ranks.end()) ranks.push_back(layout.ranks());
  if (ranks.empty()) ranks.push_back(8);
  std::vector<Configuration> shapes;
  for (const std::int32_t number : ranks) {
    const std::size_t before = shapes.size();
    for (const Layout& layout : a.layouts)
      if (layout.ranks() == number)
        shapes.push_back({.ranks = number, .layout = layout.name, .hosts = hosts_of(layout)});
    if (shapes.size() == before) shapes.push_back({.ranks = number});
  }
  return shapes;
}

// All orders and kernels on all shapes in all types. A kernel knows no layout.
void add_configurations(const CompareArguments& a, const std::vector<Configuration>& shapes,
                        const std::vector<ElementType>& types, const std::vector<std::string>& orders,
                        compare::Reductions& to) {
  for (const ElementType type : types)
    for (const Configuration& shape : shapes) {
      for (const std::string& order : orders) {
        Configuration& added = to.configurations.emplace_back(shape);
        added.type = type;
        added.order = order;
      }
      for (const kernels::SumKernel kernel : a.kernels) {
        const Configuration added{.order = {}, .kernel = kernel, .ranks = shape.ranks, .type = type};
        const auto same = [&](const Configuration& c) { return compare::differences(c, added).empty(); };
        if (std::none_of(to.configurations.begin(), to.configurations.end(), same)) to.configurations.push_back(added);
      }
    }
  for (const Configuration& configuration : to.configurations)
    if (const auto problem = compare::problem_of(configuration, to.op, to.count))
      throw UsageError{fmt::format("{}; --list prints the orders", *problem)};
}

Task generated(const CompareArguments& a) {
  Task task;
  const Payload payload{
      .generator = a.generator.value_or(Generator::normal), .seed = a.seed, .scale = a.scale.value_or(1)};
  task.numbers.origin = fmt::format("{} numbers, seed {}", name_of(*payload.generator), a.seed);
  if (a.scale) task.numbers.origin += fmt::format(", times {}", *a.scale);
  compare::Reductions& r = task.reductions;
  r.op = a.op.value_or(ReduceOp::sum);
  r.count = a.count.value_or(1000);
  r.rows = [payload](std::int32_t row, ElementType type, std::uint64_t first, std::size_t count, std::byte* out) {
    kernels::write_payload(payload, row, type, first, count, out);
  };
  const auto shapes = shapes_of(a);
  if (a.same_data) {
    if (r.op == ReduceOp::avg) throw UsageError{"--same-data is for sum, prod, min and max: shares are no averages"};
    for (const Configuration& shape : shapes) r.spread_rows = std::max(r.spread_rows, shape.ranks);
    task.numbers.origin += fmt::format(", {} contributions spread over the ranks", r.spread_rows);
  }
  static const std::vector<std::string> usual{"sequential", "pairwise", "recursive-doubling", "ring"};
  const bool kernels_alone = a.orders.empty() && !a.kernels.empty();
  add_configurations(a, shapes, a.types.empty() ? std::vector{ElementType::float32} : a.types,
                     a.orders.empty() && !kernels_alone ? usual : a.orders, r);
  return task;
}

// Of a scenario: its first reduction whose numbers are known.
Task recorded(const CompareArguments& a) {
  const std::string& input = a.inputs.front();
  const Scenario scenario = load_input(input);
  auto reductions = diagnosis::reductions_of(scenario);
  if (reductions.empty())
    throw InputError(input, 0, 0,
                     "no reduction that all ranks join says what each of them contributes (values or fill), with its "
                     "type, operation and count");
  const auto reduction = std::make_shared<const diagnosis::Reduction>(std::move(reductions.front()));
  Task task;
  task.numbers.origin = fmt::format("the numbers of the first reduction in {}", input);
  compare::Reductions& r = task.reductions;
  r.op = a.op.value_or(reduction->op);
  r.count = a.count.value_or(reduction->shape.count);
  r.rows = [reduction](std::int32_t row, ElementType type, std::uint64_t first, std::size_t count, std::byte* out) {
    const auto member = static_cast<std::size_t>(row);
    kernels::write_payload(reduction->payloads[member], reduction->calls[member].rank, type, first, count, out);
  };
  std::vector<Configuration> shapes;
  for (const Layout& layout : a.layouts) {
    if (layout.ranks() != reduction->shape.ranks)
      throw UsageError{fmt::format("--layouts {} is for {} ranks, and {} reduce in {}", layout.name, layout.ranks(),
                                   reduction->shape.ranks, input)};
    shapes.push_back({.ranks = layout.ranks(), .layout = layout.name, .hosts = hosts_of(layout)});
  }
  if (shapes.empty()) shapes.push_back({.ranks = reduction->shape.ranks, .hosts = reduction->shape.hosts});
  static const std::vector<std::string> usual{"sequential", "pairwise", "recursive-doubling", "ring"};
  const auto& named = reduction->orders.empty() ? usual : reduction->orders;
  add_configurations(a, shapes, a.types.empty() ? std::vector{reduction->shape.type} : a.types,
                     a.orders.empty() ? named : a.orders, r);
  return task;
}

}  // namespace

int run_compare(const std::vector<std::string>& args) {
  const auto parsed = parse_compare(args);
  if (!parsed) return kOk;
  const CompareArguments& a = *parsed;
  if (a.list) {
    print_catalogue();
    return kOk;
  }
  if (a.locate) return run_locate(a.inputs[0], a.inputs[1], a.json);
  if (!a.plot.empty()) require_plotter(a.plot);
  Task task = a.inputs.empty() ? generated(a) : recorded(a);
  task.reductions.runs = static_cast<std::size_t>(a.runs);
  task.reductions.tolerance = a.tolerance;
  task.reductions.threads = a.jobs;
  const compare::Comparison comparison = compare::compare_side_by_side(task.reductions);
  if (a.json)
    fmt::print("{}", render_json(task.reductions, comparison, task.numbers));
  else
    say(stdout, "{}", render_text(task.reductions, comparison, task.numbers));
  if (!a.plot.empty())
    if (const std::string why = plot(task.reductions, comparison, a.plot); !why.empty())
      say(stderr, "petri compare: nothing is drawn to {}: {}\n", a.plot, why);
  return compare::agreement_of(comparison).all() ? kOk : kDivergence;
}

}  // namespace petri::cli
