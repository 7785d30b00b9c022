#include "harness/trace/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "harness/trace/counted.hpp"
#include "harness/trace/in_turns.hpp"
#include "harness/trace/line_block.hpp"
#include "harness/trace/line_source.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {
namespace {

constexpr std::string_view kHeaderHint = R"(a header such as {"petri":1,"world":2})";

[[noreturn]] void fail_without_a_line(const LineSource& source) {
  std::string there = "the file is empty";
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(source.name(), unknown);
  if (source.compressed())
    there = "the file is truncated" + (unknown ? std::string() : " after " + counted(size, "byte")) +
            ", inside the first block of its zstd stream";
  throw InputError(source.name(), 1, 1, fmt::format("expected {}, but {}", kHeaderHint, there));
}

Scenario read_first_line(LineSource& source, JsonLine& line, std::string& text) {
  if (!source.next(text)) fail_without_a_line(source);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a byte-order mark, which some editors write
  if (const auto problem = syntax_error_of(text))
    throw InputError(source.name(), 1, problem->offset + 1,
                     fmt::format("expected {}: {}", kHeaderHint, problem->reason));
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (text[start] != '{') throw InputError(source.name(), 1, start + 1, fmt::format("expected {}", kHeaderHint));
  line.load(text, source.number());
  if (!line.has(Key::petri_)) line.fail_at_start(fmt::format("expected {}: the key \"petri\" is missing", kHeaderHint));
  return read_header(line);
}

// Room for each rank's events, so that none of it is left over and nothing has to move while the lists grow: that is
// half of what a large scenario takes. The file is looked through once more for it; what it does not find just grows.
void reserve_events(const std::filesystem::path& file, unsigned threads, Scenario& scenario) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  std::vector<std::size_t> events(scenario.ranks.size(), 0);
  LineSource source(file);
  work_in_turns(threads, [&] { return EventCounter(source, events); });
  for (std::size_t rank = 0; rank < events.size(); ++rank) scenario.ranks[rank].events.reserve(events[rank]);
}

Scenario read_all(LineSource& source, unsigned threads, const std::filesystem::path* file) {
  JsonLine line(source.name());
  std::string text;
  Scenario scenario = read_first_line(source, line, text);
  if (file != nullptr) reserve_events(*file, threads, scenario);
  LinesInOrder lines(source.name(), scenario);
  work_in_turns(threads, [&] { return BlockReader(source, lines); });
  lines.finish(source.number());
  return scenario;
}

// More would wait for each other: some of the work has to be done in the order of the lines.
unsigned usual_threads() {
  constexpr unsigned kMost = 4;
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& file, unsigned threads) {
  LineSource source(file);
  return read_all(source, threads == 0 ? usual_threads() : threads, &file);
}

Scenario read_scenario(std::istream& in, const std::string& name, unsigned threads) {
  LineSource source(in, name);
  return read_all(source, threads == 0 ? usual_threads() : threads, nullptr);
}

}  // namespace petri
