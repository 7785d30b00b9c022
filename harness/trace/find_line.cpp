#include "harness/trace/find_line.hpp"

#include <optional>

#include "harness/trace/json_line.hpp"
#include "harness/trace/line_source.hpp"

namespace petri {
namespace {

// Of an event's line; nothing for other lines.
std::optional<std::int32_t> rank_on(JsonLine& line) {
  if (!line.has(Key::rank_) || !line.has(Key::op_)) return std::nullopt;
  std::optional<std::int32_t> rank;
  FreeKeys ignored;
  line.fields(kEvent, &ignored, [&](Key key, JsonValue value) {
    if (key == Key::rank_) rank = value.small();
  });
  return rank;
}

}  // namespace

std::size_t line_of(const std::filesystem::path& file, EventRef event) {
  LineSource source(file);
  JsonLine line(source.name());
  std::string text;
  std::uint32_t before = 0;
  while (source.next(text)) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!source.terminated() && syntax_error_of(text)) break;
    line.load(text, source.number());
    if (rank_on(line) == event.rank && before++ == event.index) return source.number();
  }
  return 0;
}

}  // namespace petri
