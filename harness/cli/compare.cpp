// `petri compare`: one reduction in many ways.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "harness/cli/command.hpp"
#include "harness/cli/compare_live.hpp"
#include "harness/cli/compare_options.hpp"
#include "harness/cli/compare_plot.hpp"
#include "harness/cli/compare_progress.hpp"
#include "harness/cli/compare_task.hpp"
#include "harness/cli/locate.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/compare/side_by_side.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/report/comparison.hpp"
#include "harness/trace/printable.hpp"
#include "kernels/order/catalogue.hpp"

namespace petri::cli {
namespace {

void print_catalogue() {
  std::size_t width = 0;
  for (const order::CatalogueLine& line : order::catalogue()) width = std::max(width, line.form.size());
  for (const order::CatalogueLine& line : order::catalogue()) fmt::print("{:<{}}  {}\n", line.form, width, line.text);
  fmt::print("{:<{}}  {}\n", "…@TYPE", width,
             "contributions are combined in TYPE, and the result alone is rounded back");
}

// What `make` finds wrong with the configurations is wrong with the command line.
template <class Make>
auto made(Make make) {
  try {
    return make();
  } catch (const std::invalid_argument& problem) {
    const bool of_order = std::string_view(problem.what()).starts_with("there is no order");
    throw UsageError{fmt::format("{}{}", problem.what(), of_order ? " (--list prints all)" : "")};
  } catch (const order::TooLarge& problem) {
    throw UsageError{fmt::format("too large: {}", problem.what())};
  }
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
  CompareTask task = compare_task(a);
  if (a.live) {
    end_at_interrupt();
    const double limit_s = a.timeout_s.value_or(kLiveTimeout_s);
    if (const int signal = made([&] { return measure(task.reductions, limit_s); })) return 128 + signal;
  }
  CompareProgress progress(task.reductions);
  task.reductions.watcher = &progress;
  const auto comparison = made([&] { return compare::compare_side_by_side(task.reductions); });
  const int signal = progress.finish();
  const bool whole = comparison.elements == task.reductions.count;
  if (comparison.elements == 0) {
    say(stderr, "petri compare: interrupted before an element was compared\n");
    return 128 + signal;
  }
  if (a.json)
    fmt::print("{}", printable_json(render_json(task.reductions, comparison, task.numbers)));
  else
    say(stdout, "{}", render_text(task.reductions, comparison, task.numbers));
  if (!a.plot.empty() && whole)
    if (const std::string why = plot(task.reductions, comparison, a.plot); !why.empty())
      say(stderr, "petri compare: nothing is drawn to {}: {}\n", a.plot, why);
  if (!whole) return 128 + signal;
  if (!compare::agreement_of(comparison).all()) return kDivergence;
  return task.reductions.measured && !task.reductions.measured->complete ? kAmbiguous : kOk;
}

}  // namespace petri::cli
