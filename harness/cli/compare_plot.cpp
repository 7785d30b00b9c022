#include "harness/cli/compare_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/output.hpp"
#include "harness/launch/guardian.hpp"
#include "harness/launch/mpirun.hpp"
#include "harness/launch/run_folder.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kLimit_ms = 60'000;           // gnuplot draws some hundred points
constexpr std::uint64_t kRoom = 16U << 20;  // of the picture and what it is made from

// Ranks and error of each line, by its title. A line may have no point: an axis of powers has no place for 0.
using Lines = std::map<std::string, std::vector<std::pair<std::int32_t, double>>>;

bool is_drawn(double error) {
  return error > 0 && error < 1e300;
}

Lines lines_of(const compare::Reductions& reductions, const compare::Comparison& comparison) {
  Lines lines;
  for (std::size_t i = 0; i < comparison.found.size(); ++i) {
    const compare::Configuration& c = reductions.configurations[i];
    if (comparison.found[i].error.elements() == 0) continue;
    std::string title = fmt::format("{}, {}", c.how(), name_of(c.type));
    // A layout is of one number of ranks: its hosts alone are what a line can share.
    if (!c.layout.empty()) title += ", " + counted(static_cast<std::uint64_t>(c.hosts.back()) + 1, "host");
    auto& points = lines[title];
    if (const double error = comparison.found[i].error.norm_relative(); is_drawn(error))
      points.emplace_back(c.ranks, error);
  }
  return lines;
}

// A text of gnuplot, in which nothing but the quote has a meaning.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("''") : std::string(1, c);
  return safe + "'";
}

std::string script_of(const Lines& lines, bool png) {
  // Below the picture, the titles have two columns.
  const std::size_t height = 560 + 20 * ((lines.size() + 1) / 2);
  std::string script = fmt::format(
      "set terminal {} size 900,{} noenhanced\nset output 'picture'\nset logscale x 2\nset logscale y\n"
      "set format y '%.0e'\nset key outside below maxcols 2\nset grid\nset xlabel 'ranks'\n"
      "set ylabel 'error of the vector, relative; 0 is not drawn'\n"
      "set pointsize 1\n",
      png ? "png" : "svg", height);
  std::string plots;
  std::size_t number = 0;
  for (const auto& [title, points] : lines) {
    script += fmt::format("$line{} << end_of_line\n", number);
    for (const auto& [ranks, error] : points) script += fmt::format("{} {}\n", ranks, error);
    if (points.empty()) script += "1 NaN\n";
    script += "end_of_line\n";
    plots += fmt::format("{}$line{} using 1:2 with linespoints title {}", plots.empty() ? "" : ", ", number++,
                         quoted(title));
  }
  return script + "set xrange [1:*]\nplot " + plots + "\n";
}

}  // namespace

void require_plotter(const fs::path& file) {
  if (file.extension() != ".svg" && file.extension() != ".png")
    throw UsageError{fmt::format("--plot needs a file that ends in .svg or .png, not '{}'", file.string())};
  if (find_program("gnuplot").empty())
    throw EnvironmentError("--plot needs gnuplot, which is not in PATH: install it (Debian and Ubuntu: gnuplot-nox)");
  require_writable(file, Content::text);
}

std::string plot(const compare::Reductions& reductions, const compare::Comparison& comparison, const fs::path& file) {
  const Lines lines = lines_of(reductions, comparison);
  if (lines.empty()) return "this operation has no exact result, from which errors could be drawn";
  if (std::all_of(lines.begin(), lines.end(), [](const auto& line) { return line.second.empty(); }))
    return "no error lies between zero and infinity";
  const fs::path folder = name_run_folder(kRoom);
  GuardedCommand command;
  command.arguments = {find_program("gnuplot").string(), "script"};
  command.output = folder / "output";
  command.working_folder = folder;
  command.prepare = [&] { std::ofstream(folder / "script") << script_of(lines, file.extension() == ".png"); };
  Guardian guardian(command, folder);
  const std::optional<CommandEnd> end = guardian.ended(kLimit_ms);
  if (!end || end->signal != 0 || end->status != 0)
    throw EnvironmentError(fmt::format("--plot: gnuplot failed: {}", end ? read_whole(folder / "output") : "too slow"));
  write_file(file, read_whole(folder / "picture"));
  return {};
}

}  // namespace petri::cli
