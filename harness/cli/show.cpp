// `petri show`: the ranks as columns around the place of failure.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "harness/cli/command.hpp"
#include "harness/cli/diagnose_options.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/numbers.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "harness/report/columns.hpp"
#include "harness/trace/counted.hpp"

namespace petri::cli {
namespace {

constexpr Help kHelp{
    "petri show [options] SCENARIO...",
    "Shows what each rank did around the place of failure, one column for all ranks that did the same. The event that "
    "a\n"
    "rank cannot leave is marked. SCENARIO is a scenario file, folders of recorded ranks, or a trace that others "
    "recorded:\n"
    "files, folders, archives. - is standard input.",
    "petri show --ranks 0-3,7 --around 8 job.jsonl    shows five ranks, eight events before and after",
};

struct RankRange {
  std::int32_t from, to;
};

std::string text_of(RankRange range) {
  return range.from == range.to ? std::to_string(range.from) : fmt::format("{}-{}", range.from, range.to);
}

// "4" or "0-4".
std::optional<RankRange> range_in(std::string_view part) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::size_t dash = part.find('-');
  const auto from = whole_number(part.substr(0, dash));
  const auto to = dash == std::string_view::npos ? from : whole_number(part.substr(dash + 1));
  if (!from || !to || *from > *to || *to > kMost) return std::nullopt;
  return RankRange{static_cast<std::int32_t>(*from), static_cast<std::int32_t>(*to)};
}

// "0-4,7" as ascending ranks.
std::vector<std::int32_t> ranks_in(const std::string& text, std::int32_t world) {
  std::vector<std::int32_t> ranks;
  std::string missing;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::optional<RankRange> range = range_in(rest.substr(0, comma));
    if (!range) throw UsageError{fmt::format("--ranks must name ranks, such as 0-4,7; got '{}'", text)};
    for (std::int32_t rank = range->from; rank <= std::min(range->to, world - 1); ++rank) ranks.push_back(rank);
    if (range->to >= world)
      missing += (missing.empty() ? "" : ",") + text_of({std::max(range->from, world), range->to});
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (!missing.empty())
    throw UsageError{fmt::format("--ranks {}: there is no rank {}: the scenario has {}, from 0 to {}", text, missing,
                                 counted(static_cast<std::uint64_t>(world), "rank"), world - 1)};
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace

int run_show(const std::vector<std::string>& args) {
  ColumnOptions columns;
  po::options_description options("Options");
  options.add_options()("ranks", po::value<std::string>()->value_name("LIST"), "only these ranks, e.g. 0-4,7");
  options.add_options()(
      "around", number("around", &columns.around, std::size_t{0})->default_value(std::to_string(columns.around)),
      "rows before and after the place of failure");
  options.add_options()("all", po::bool_switch(&columns.all), "every event and every column, however wide");
  add_diagnose_options(options);
  options.add_options()("scenario", po::value<std::vector<std::string>>()->required(), "the scenario");
  po::positional_options_description positional;
  positional.add("scenario", -1);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return kOk;

  const DiagnoseOptions how = diagnose_options_of(values);
  const Scenario scenario = Input(values["scenario"].as<std::vector<std::string>>()).load();
  if (values.count("ranks") != 0) columns.ranks = ranks_in(values["ranks"].as<std::string>(), scenario.world());
  columns.colour = stdout_takes_colour();
  columns.width = stdout_width();
  fmt::print("{}", render_columns(scenario, diagnose(scenario, how), columns));
  return kOk;
}

}  // namespace petri::cli
