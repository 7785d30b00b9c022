#include "harness/trace/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "harness/trace/line_source.hpp"
#include "harness/trace/nearest.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {
namespace {

constexpr std::string_view kHeaderHint = R"(a header such as {"petri":1,"world":2})";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::vector<std::int32_t> read_members(JsonValue& value, std::int32_t world) {
  std::vector<std::int32_t> members;
  value.each_element([&](JsonValue rank) { members.push_back(rank.small(0, world - 1)); });
  return members;
}

Scenario read_first_line(LineSource& source, JsonLine& line, std::string& text) {
  if (!source.next(text))
    throw InputError(source.name(), 1, 1, fmt::format("expected {}, but the file is empty", kHeaderHint));
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

// Which kind of line this is follows from its keys, in any order.
void read_line(LineReader& lines, JsonLine& line, bool& whole) {
  if (line.has(Key::petri_)) line.fail_at_start("expected no second header");
  if (line.has(Key::end_) && line.has(Key::rank_)) {
    lines.rank_end(line);
  } else if (line.has(Key::end_)) {
    lines.file_end(line);
    whole = true;
  } else if (line.has(Key::rank_) || line.has(Key::op_)) {
    lines.event(line);
  } else if (line.has(Key::comm_)) {
    lines.communicator(line);
  } else {
    line.fail_at_start(
        R"(expected an event ("rank" and "op"), a communicator ("comm" and "ranks") or an end line ("end"))");
  }
}

// The rank of a line that begins as events do when Petri writes them; nothing where it begins otherwise.
std::optional<std::size_t> rank_at_first_sight(std::string_view text) {
  constexpr std::string_view kHead = R"({"rank":)";
  std::size_t rank = 0;
  if (!text.starts_with(kHead)) return std::nullopt;
  text.remove_prefix(kHead.size());
  const auto end = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (end.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return text.starts_with(R"(,"op":)") || text.starts_with(R"(,"seq":)") ? std::optional(rank) : std::nullopt;
}

// Most lines are events, and nothing is wrong with them. False where something is: then the line is to be read with
// care, since what a message says must not depend on this haste.
bool read_at_once(LineReader& lines, JsonLine& line, std::string_view text, std::size_t number) {
  try {
    line.take(text, number);
    lines.event(line);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void read_lines(LineSource& source, JsonLine& line, std::string& text, Scenario& scenario) {
  LineReader lines(scenario);
  bool whole = false;
  while (source.next(text)) {
    if (is_blank(text)) continue;
    if (whole) throw InputError(source.name(), source.number(), 1, "expected nothing after the end line");
    // A writer that was stopped leaves half a line; a line with its newline was meant as it stands.
    if (!source.terminated() && syntax_error_of(text)) break;
    if (rank_at_first_sight(text) && read_at_once(lines, line, text, source.number())) continue;
    line.load(text, source.number());
    read_line(lines, line, whole);
  }
  if (!whole && !lines.any())
    throw InputError(source.name(), source.number(), 0,
                     fmt::format("the file has a header for {} ranks and nothing else: expected events and an end line",
                                 scenario.world()));
  scenario.cut = !whole;
  for (RankTrace& rank : scenario.ranks)
    if (scenario.cut && !rank.end.stated) rank.end.kind = EndKind::cut;
  lines.finish();
}

// Room for each rank's events, so that none of it is left over and nothing has to move while the lists grow: that is
// half of what a large scenario takes. The file is looked through once more for it; what it does not find just grows.
void reserve_events(const std::filesystem::path& file, Scenario& scenario) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  std::vector<std::size_t> events(scenario.ranks.size(), 0);
  LineSource source(file);
  for (std::string text; source.next(text);)
    if (const auto rank = rank_at_first_sight(text); rank && *rank < events.size()) ++events[*rank];
  for (std::size_t rank = 0; rank < events.size(); ++rank) scenario.ranks[rank].events.reserve(events[rank]);
}

Scenario read_all(LineSource& source, const std::filesystem::path* file) {
  JsonLine line(source.name());
  std::string text;
  Scenario scenario = read_first_line(source, line, text);
  if (file != nullptr) reserve_events(*file, scenario);
  read_lines(source, line, text, scenario);
  return scenario;
}

}  // namespace

void fail_unknown_name(const JsonValue& value, std::string_view text, const char* what,
                       std::span<const std::string_view> names) {
  const auto meant = nearest(text, names);
  value.reject(fmt::format("a known {}{}", what, meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : ""));
}

LineReader::LineReader(Scenario& scenario)
    : scenario_(scenario), members_(1), ended_(static_cast<std::size_t>(scenario.world())) {}

bool LineReader::is_member(std::int32_t comm, std::int32_t rank) {
  const auto index = static_cast<std::size_t>(comm);
  if (comm == 0 || !scenario_.comms[index].known) return true;
  return std::binary_search(members_[index].begin(), members_[index].end(), rank);
}

void LineReader::communicator(JsonLine& line) {
  if (in_events_) line.fail_at_start("expected communicators before the first event");
  Communicator comm;
  const char* name_at = nullptr;
  const char* ranks_at = nullptr;
  const char* remote_at = nullptr;
  line.fields(kComm, &comm.free_keys, [&](Key key, JsonValue value) {
    switch (key) {
      case Key::comm_: comm.name = value.text(), name_at = value.at(); break;
      case Key::ranks_:
        ranks_at = value.at();
        comm.known = !value.is_text();
        if (!comm.known && value.text() != "unknown") value.reject("a list of ranks, or \"unknown\"");
        if (comm.known) comm.ranks = read_members(value, scenario_.world());
        break;
      case Key::remote_: remote_at = value.at(), comm.remote = read_members(value, scenario_.world()); break;
      case Key::parent_: comm.parent = value.text(); break;
      case Key::backend_: comm.backend = value.text(); break;
      case Key::label_: comm.label = value.text(); break;
      default: break;
    }
  });
  if (comm.name.empty()) line.fail(name_at, "\"comm\" must be a name, got \"\"");
  if (scenario_.find_comm(comm.name) != kNoComm)
    line.fail(name_at, fmt::format("the communicator \"{}\" is already declared{}", comm.name.substr(0, 100),
                                   comm.name == "world" ? ": it is implied" : ""));
  if (ranks_at == nullptr) line.fail_at_start("expected the members of the communicator: \"ranks\" is missing");
  if (comm.known && comm.ranks.empty())
    line.fail(ranks_at, "a communicator must have a member, got an empty \"ranks\"");
  if (remote_at != nullptr && (!comm.known || comm.remote.empty()))
    line.fail(remote_at, "\"remote\" is the other group of an intercommunicator: both need their members");
  auto members = comm.ranks;
  members.insert(members.end(), comm.remote.begin(), comm.remote.end());
  std::sort(members.begin(), members.end());
  if (const auto twice = std::adjacent_find(members.begin(), members.end()); twice != members.end())
    line.fail(ranks_at, fmt::format("\"{}\" must name each rank once, got {} twice",
                                    remote_at != nullptr ? "ranks\" and \"remote" : "ranks", *twice));
  members_.push_back(std::move(members));
  scenario_.add_comm(std::move(comm));
  any_ = true;
}

void LineReader::rank_end(JsonLine& line) {
  static const std::vector<std::string_view> kinds{"finalized", "exited", "aborted", "signal",
                                                   "running",   "cut",    "missing"};
  RankEnd end;
  std::int32_t rank = 0;
  const char* rank_at = nullptr;
  line.fields(kRankEnd, &end.free_keys, [&](Key key, JsonValue value) {
    switch (key) {
      case Key::rank_: rank = value.small(0, scenario_.world() - 1), rank_at = value.at(); break;
      case Key::end_: end.kind = read_name(value, end_kind_named, "end of a rank", kinds); break;
      case Key::dropped_: end.dropped = value.natural(); break;
      case Key::signal_: end.signal = value.small(); break;
      case Key::status_: end.status = value.small(std::numeric_limits<std::int32_t>::min()); break;
      default: break;
    }
  });
  if (ended_[static_cast<std::size_t>(rank)]) line.fail(rank_at, fmt::format("rank {} has already ended", rank));
  ended_[static_cast<std::size_t>(rank)] = true;
  end.stated = true;
  scenario_.ranks[static_cast<std::size_t>(rank)].end = std::move(end);
  any_ = in_events_ = true;
}

void LineReader::file_end(JsonLine& line) const {
  line.fields(kFileEnd, nullptr, [&](Key key, JsonValue value) {
    if (key == Key::end_) {
      if (value.at()[0] != 't' || !value.truth()) value.reject("true");
    } else if (const std::uint64_t said = value.natural(); said != events_) {
      line.fail(value.at(), fmt::format("the end line counts {} events, but {} were read", said, events_));
    }
  });
}

Scenario read_scenario(const std::filesystem::path& file) {
  LineSource source(file);
  return read_all(source, &file);
}

Scenario read_scenario(std::istream& in, const std::string& name) {
  LineSource source(in, name);
  return read_all(source, nullptr);
}

}  // namespace petri
