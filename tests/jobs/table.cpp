#include "tests/jobs/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace petri::jobs {
namespace {

std::string mark_of(const Measured& result) {
  if (!result.no_place.empty()) return "-";
  if (result.right()) return "ok";
  std::string wrong;
  if (!result.verdict_right) wrong += 'v';
  if (!result.culprits_right) wrong += 'c';
  if (!result.minimum_reached) wrong += 'm';
  return wrong;
}

struct Row {
  const Fault* fault = nullptr;
  const Variant* variant = nullptr;
  std::map<std::string_view, std::string> marks;  // by job
  double slowest_s = 0;                           // to diagnose and shrink
};

std::vector<Row> rows_of(const std::vector<Cell>& cells, const std::vector<Measured>& results) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (rows.empty() || rows.back().fault != cells[i].fault || rows.back().variant != cells[i].variant)
      rows.push_back({cells[i].fault, cells[i].variant, {}, 0});
    std::string& marks = rows.back().marks[cells[i].generator->name];
    marks += (marks.empty() ? "" : " ") + mark_of(results[i]);
    rows.back().slowest_s = std::max(rows.back().slowest_s, results[i].diagnose_s + results[i].shrink_s);
  }
  return rows;
}

std::string known_minimum(const Row& row) {
  if (row.fault->minimum.empty()) return "-";
  const Scenario minimum = minimum_of(*row.fault, *row.variant);
  return fmt::format("{} r {} e", minimum.world(), minimum.event_count());
}

template <class Right>
std::string share(const std::vector<const Measured*>& results, const Right& right) {
  return fmt::format("{}/{}", std::count_if(results.begin(), results.end(), right), results.size());
}

}  // namespace

std::string line_of(const Cell& cell, const Measured& result) {
  std::string line = fmt::format("{:<14} {:<24} {:>5} ranks {:>8} events: {:<3}", cell.fault->name,
                                 cell.generator->name, cell.size.world, result.events, mark_of(result));
  if (!result.no_place.empty()) return line + " " + result.no_place + "\n";
  if (result.shrinks)
    line +=
        fmt::format(" {} ranks {} events, {} candidates,", result.ranks_left, result.events_left, result.candidates);
  line += fmt::format(" diagnosed in {:.2f} s, shrunk in {:.2f} s", result.diagnose_s, result.shrink_s);
  for (const std::string& complaint : result.complaints) line += fmt::format("\n    {}", complaint);
  return line + "\n";
}

std::string table_of(const std::vector<Cell>& cells, const std::vector<Measured>& results, bool markdown) {
  std::vector<std::string_view> jobs;
  for (const Cell& cell : cells)
    if (std::find(jobs.begin(), jobs.end(), cell.generator->name) == jobs.end()) jobs.push_back(cell.generator->name);
  std::vector<std::vector<std::string>> lines{{"fault", "planted", "verdict", "minimum"}};
  lines.front().insert(lines.front().end(), jobs.begin(), jobs.end());
  lines.front().push_back("slowest");
  for (const Row& row : rows_of(cells, results)) {
    auto& line = lines.emplace_back();
    line = {std::string(row.fault->name), std::string(row.variant->name), std::string(name_of(row.fault->verdict)),
            known_minimum(row)};
    for (const std::string_view job : jobs) line.push_back(row.marks.count(job) != 0 ? row.marks.at(job) : "");
    line.push_back(fmt::format("{:.2f} s", row.slowest_s));
  }
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      text += fmt::format("{}{:<{}}", markdown ? "| " : "", line[i], widths[i]) + (markdown ? " " : "  ");
    text += markdown ? "|\n" : "\n";
    if (!markdown || &line != &lines.front()) continue;
    for (const std::size_t width : widths) text += fmt::format("|{:-<{}}", "", width + 2);
    text += "|\n";
  }
  return text;
}

std::string summary_of(const std::vector<Cell>& cells, const std::vector<Measured>& results) {
  std::map<std::int32_t, std::vector<const Measured*>> by_world;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (results[i].no_place.empty()) by_world[cells[i].size.world].push_back(&results[i]);
  std::string text;
  for (const auto& [world, some] : by_world) {
    double diagnose_s = 0, shrink_s = 0, slowest_s = 0;
    std::vector<const Measured*> shrunk;  // where a minimum is known
    std::size_t most = 0;
    for (const Measured* one : some) {
      if (one->shrinks) shrunk.push_back(one);
      diagnose_s += one->diagnose_s, shrink_s += one->shrink_s;
      slowest_s = std::max(slowest_s, one->shrink_s);
      most = std::max(most, one->events);
    }
    text += fmt::format(
        "{} ranks, up to {} events: verdict right {}, culprits right {}, minimum reached {}; diagnosed in {:.1f} s, "
        "shrunk in {:.1f} s, the slowest in {:.1f} s\n",
        world, most, share(some, [](const Measured* one) { return one->verdict_right; }),
        share(some, [](const Measured* one) { return one->culprits_right; }),
        share(shrunk, [](const Measured* one) { return one->minimum_reached; }), diagnose_s, shrink_s, slowest_s);
  }
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!results[i].right()) text += line_of(cells[i], results[i]);
  return text;
}

}  // namespace petri::jobs
