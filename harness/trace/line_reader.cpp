// The lines of a file but its header: communicators, events, and how ranks and the file itself ended.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/trace/nearest.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {
namespace {

std::vector<std::int32_t> read_members(JsonValue& value, std::int32_t world) {
  std::vector<std::int32_t> members;
  value.each_element([&](JsonValue rank) { members.push_back(rank.small(0, world - 1)); });
  return members;
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

std::vector<std::pair<std::int32_t, std::int32_t>> LineReader::read_joined(JsonValue value) const {
  std::vector<std::pair<std::int32_t, std::int32_t>> joined;
  value.line().any_fields(value.object(), [&](std::string_view name, JsonValue position) {
    const std::int32_t comm = scenario_.find_comm(name);
    if (comm == kNoComm)
      value.line().fail(position.at(), fmt::format("the communicator \"{}\" in \"joined\" is not declared before",
                                                   name.substr(0, 100)));
    joined.emplace_back(comm, position.small());
  });
  return joined;
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
      case Key::joined_: end.joined = read_joined(value); break;
      case Key::signal_: end.signal = value.small(); break;
      case Key::status_: end.status = value.small(std::numeric_limits<std::int32_t>::min()); break;
      default: break;
    }
  });
  if (ended_[static_cast<std::size_t>(rank)]) line.fail(rank_at, fmt::format("rank {} has already ended", rank));
  ended_[static_cast<std::size_t>(rank)] = true;
  for (const auto& [comm, position] : end.joined)
    if (!is_member(comm, rank))
      line.fail(rank_at, fmt::format("\"joined\" names the communicator \"{}\", of which rank {} is no member",
                                     scenario_.comms[static_cast<std::size_t>(comm)].name, rank));
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

}  // namespace petri
