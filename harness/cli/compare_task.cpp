#include "harness/cli/compare_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/input.hpp"
#include "harness/cli/options.hpp"
#include "harness/compare/numpy_rows.hpp"
#include "harness/diagnose/reduction.hpp"
#include "harness/trace/error.hpp"
#include "kernels/cpu/payload.hpp"
#include "kernels/cpu/training.hpp"

namespace petri::cli {
namespace {

using compare::Configuration;

constexpr std::size_t kMostConfigurations = 4096;
constexpr std::uint64_t kMostRanksInAll = std::uint64_t{1} << 26;

const std::vector<std::string>& usual_orders() {
  static const std::vector<std::string> usual{"sequential", "pairwise", "recursive-doubling", "ring"};
  return usual;
}

std::vector<std::int32_t> hosts_of(const Layout& layout) {
  std::vector<std::int32_t> hosts;
  for (std::int32_t rank = 0; rank < layout.ranks(); ++rank) hosts.push_back(rank / layout.ranks_of_each);
  return hosts;
}

// Before any shape is made: as many configurations as can be held against each other, and as many ranks as can have
// orders at all.
void require_few(const CompareArguments& a, const std::vector<std::int32_t>& ranks, std::size_t orders,
                 std::size_t types) {
  std::uint64_t all = 0;
  for (const std::int32_t number : ranks) all += static_cast<std::uint64_t>(number);
  for (const Layout& layout : a.layouts) all += static_cast<std::uint64_t>(layout.ranks());
  const std::size_t each = std::max<std::size_t>((orders + a.kernels.size()) * types, 1);
  if (std::max<std::size_t>(ranks.size() + a.layouts.size(), 1) > kMostConfigurations / each)
    throw UsageError{fmt::format("these are more than {} configurations", kMostConfigurations)};
  if (all > kMostRanksInAll / each)
    throw UsageError{fmt::format("all configurations together have more than {} ranks", kMostRanksInAll)};
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
        const auto same = [&](const Configuration& c) {
          return c.kernel == kernel && c.ranks == shape.ranks && c.type == type;
        };
        if (std::none_of(to.configurations.begin(), to.configurations.end(), same))
          to.configurations.push_back({.order = {}, .kernel = kernel, .ranks = shape.ranks, .type = type});
      }
    }
}

const std::vector<std::string>& orders_of(const CompareArguments& a, const std::vector<std::string>& usual) {
  return a.orders.empty() ? usual : a.orders;
}

// Without --orders, kernels stand alone.
const std::vector<std::string>& orders_of(const CompareArguments& a) {
  return orders_of(a, a.kernels.empty() ? usual_orders() : a.orders);
}

// `rows` of numbers that --payload names, in the shapes that are asked for.
void add_shapes(const CompareArguments& a, ElementType usual_type, std::optional<std::int32_t> rows,
                CompareTask& task) {
  compare::Reductions& r = task.reductions;
  r.op = a.op.value_or(ReduceOp::sum);
  const std::vector<std::string>& orders = orders_of(a);
  const std::vector<ElementType> types = a.types.empty() ? std::vector{usual_type} : a.types;
  require_few(a, a.ranks, orders.size(), types.size());
  const auto shapes = shapes_of(a);
  for (const Configuration& shape : shapes)
    if (rows && shape.ranks > *rows)
      throw UsageError{fmt::format("{} ranks cannot have the numbers of {}", shape.ranks, *rows)};
  if (a.same_data) {
    if (r.op == ReduceOp::avg) throw UsageError{"--same-data is for sum, prod, min and max: shares are no averages"};
    for (const Configuration& shape : shapes) r.spread_rows = std::max(r.spread_rows, shape.ranks);
    if (rows) r.spread_rows = *rows;
    task.numbers.origin += fmt::format(", {} contributions spread over the ranks", r.spread_rows);
  }
  add_configurations(a, shapes, types, orders, r);
}

CompareTask generated(const CompareArguments& a) {
  CompareTask task;
  const Payload payload{
      .generator = a.generator.value_or(Generator::normal), .seed = a.seed, .scale = a.scale.value_or(1)};
  task.numbers.origin = fmt::format("{} numbers, seed {}", name_of(*payload.generator), a.seed);
  if (a.scale) task.numbers.origin += fmt::format(", times {}", *a.scale);
  task.reductions.count = a.count.value_or(1000);
  task.reductions.rows = [payload](std::int32_t row, ElementType type, std::uint64_t first, std::size_t count,
                                   std::byte* out, kernels::ConversionLoss* loss) {
    kernels::write_payload(payload, row, type, first, count, out, loss);
  };
  add_shapes(a, ElementType::float32, std::nullopt, task);
  return task;
}

CompareTask trained(const CompareArguments& a) {
  CompareTask task;
  task.numbers.origin = fmt::format("gradients of a training, seed {}", a.seed);
  if (a.scale) task.numbers.origin += fmt::format(", times {}", *a.scale);
  task.reductions.count = a.count.value_or(1000);
  task.reductions.rows = [seed = a.seed, scale = a.scale.value_or(1)](std::int32_t row, ElementType type,
                                                                      std::uint64_t first, std::size_t count,
                                                                      std::byte* out, kernels::ConversionLoss* loss) {
    kernels::training::write_gradients(seed, scale, row, type, first, count, out, loss);
  };
  add_shapes(a, ElementType::float32, std::nullopt, task);
  return task;
}

CompareTask from_files(const CompareArguments& a) {
  const auto rows = std::make_shared<const compare::NumpyRows>(a.files);
  CompareTask task;
  task.numbers.origin = a.files.size() == 1 ? fmt::format("the numbers in {}", a.files.front())
                                            : fmt::format("the numbers in {} files from {} to {}", a.files.size(),
                                                          a.files.front(), a.files.back());
  task.reductions.count = a.count.value_or(rows->count());
  if (task.reductions.count > rows->count())
    throw UsageError{
        fmt::format("--count {} is more than the {} elements of each rank", task.reductions.count, rows->count())};
  if (rows->type() == ElementType::uint64 && a.types.empty())
    throw UsageError{"uint64 is not reduced here: --types names the type to take the numbers as"};
  task.reductions.rows = [rows](std::int32_t row, ElementType type, std::uint64_t first, std::size_t count,
                                std::byte* out,
                                kernels::ConversionLoss* loss) { rows->write(row, type, first, count, out, loss); };
  CompareArguments with_ranks = a;
  if (a.ranks.empty() && a.layouts.empty()) with_ranks.ranks = {rows->rows()};
  add_shapes(with_ranks, rows->usual_type(), rows->rows(), task);
  return task;
}

// Of a scenario: its first reduction whose numbers are known.
CompareTask recorded(const CompareArguments& a) {
  const std::string& input = a.inputs.front();
  const Scenario scenario = Input(input).load_with_payload();
  auto reductions = diagnosis::reductions_of(scenario);
  if (reductions.empty())
    throw InputError(input, 0, 0,
                     "no reduction that all ranks join, with one type, operation and count, says what each of them "
                     "contributes (values, fill or npy)");
  const auto reduction = std::make_shared<const diagnosis::Reduction>(std::move(reductions.front()));
  CompareTask task;
  task.numbers.origin = fmt::format("the numbers of the first reduction in {}", input);
  task.numbers.first_rank = reduction->calls.front().rank;
  compare::Reductions& r = task.reductions;
  r.op = a.op.value_or(reduction->op);
  r.count = a.count.value_or(reduction->shape.count);
  r.rows = [reduction](std::int32_t row, ElementType type, std::uint64_t first, std::size_t count, std::byte* out,
                       kernels::ConversionLoss* loss) { reduction->write(row, type, first, count, out, loss); };
  const std::vector<std::string>& orders = orders_of(a, reduction->orders.empty() ? usual_orders() : reduction->orders);
  const std::vector<ElementType> types = a.types.empty() ? std::vector{reduction->shape.type} : a.types;
  require_few(a, {reduction->shape.ranks}, orders.size(), types.size());
  std::vector<Configuration> shapes;
  for (const Layout& layout : a.layouts) {
    if (layout.ranks() != reduction->shape.ranks)
      throw UsageError{fmt::format("--layouts {} is for {} ranks, and {} reduce in {}", layout.name, layout.ranks(),
                                   reduction->shape.ranks, input)};
    shapes.push_back({.ranks = layout.ranks(), .layout = layout.name, .hosts = hosts_of(layout)});
  }
  if (shapes.empty()) shapes.push_back({.ranks = reduction->shape.ranks, .hosts = reduction->shape.hosts});
  add_configurations(a, shapes, types, orders, r);
  return task;
}

}  // namespace

CompareTask compare_task(const CompareArguments& a) {
  CompareTask task = !a.inputs.empty()  ? recorded(a)
                     : !a.files.empty() ? from_files(a)
                     : a.gradients      ? trained(a)
                                        : generated(a);
  task.reductions.runs = static_cast<std::size_t>(a.runs);
  task.reductions.tolerance = a.tolerance;
  task.reductions.threads = a.jobs;
  return task;
}

}  // namespace petri::cli
