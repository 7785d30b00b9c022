#include "harness/import/flight_dump.hpp"

#include <fmt/format.h>

#include "harness/import/flight_json.hpp"
#include "harness/import/flight_pickle.hpp"
#include "harness/trace/error.hpp"

namespace petri {

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Keys that entries of nothing else have.
bool has_entry_keys(std::string_view text) {
  return has(text, "collective_seq_id") || has(text, "p2p_seq_id") || has(text, "profiling_name") ||
         has(text, "record_id");
}

}  // namespace

bool looks_like_flight_pickle(std::string_view head) {
  if (head.size() < 2) return false;
  const bool binary = head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
  if (!binary && !head.starts_with("}") && !head.starts_with("(d")) return false;
  return has(head, "pg_config") || has(head, "pg_status") || (has(head, "entries") && has_entry_keys(head));
}

bool looks_like_flight_json(std::string_view head) {
  bool in_text = false, entries = false;
  std::size_t depth = 0, text = 0;
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{') return false;
  for (std::size_t i = first; i < head.size(); ++i) {
    const char c = head[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c != '"') continue;
      in_text = false;
      const std::string_view key = head.substr(text, i - text);
      if (depth != 1 || head.substr(i + 1, 8).find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
      if (head[head.find_first_not_of(" \t\r\n", i + 1)] != ':') continue;
      if (key == "pg_config" || key == "pg_status") return true;
      entries = entries || key == "entries";
    } else if (c == '"') {
      in_text = true;
      text = i + 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      break;
    }
  }
  return entries && has_entry_keys(head);
}

namespace {

void check_size(const std::string& name, std::string_view bytes) {
  if (bytes.size() > kMostFlightBytes)
    throw InputError(name, 0, 0, fmt::format("a dump of more than {} MiB is not read", kMostFlightBytes >> 20));
}

}  // namespace

struct FlightReader::Memory {
  FlightPickle pickle;
  FlightJson json;
};

FlightReader::FlightReader() : memory_(std::make_unique<Memory>()) {}
FlightReader::~FlightReader() = default;
FlightReader::FlightReader(FlightReader&&) noexcept = default;
FlightReader& FlightReader::operator=(FlightReader&&) noexcept = default;

FlightDump FlightReader::pickle(const std::string& name, std::string_view bytes) {
  check_size(name, bytes);
  FlightDump dump;
  memory_->pickle.read(name, bytes, dump);
  return dump;
}

FlightDump FlightReader::json(const std::string& name, std::string_view bytes) {
  check_size(name, bytes);
  FlightDump dump;
  memory_->json.read(name, bytes, dump);
  return dump;
}

}  // namespace petri
