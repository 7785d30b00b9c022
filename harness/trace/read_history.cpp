#include "harness/trace/read_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "harness/trace/nearest.hpp"
#include "harness/trace/op_keys.hpp"
#include "harness/trace/venue.hpp"

namespace petri {
namespace {

// The record of a rank goes back to its start: nothing was lost before the first event, or cut out of it later.
bool is_whole(const Scenario& scenario, std::int32_t rank) {
  const RankTrace& trace = scenario.ranks[static_cast<std::size_t>(rank)];
  return !scenario.header.origin && trace.end.kind != EndKind::missing && trace.end.dropped == 0 &&
         (trace.events.empty() || trace.events.front().seq == 0);
}

// What all members that make it at one place call by one name. Splits and groups make several communicators there:
// those with one color, or with one list of members.
bool make_the_same(const Event& a, const Event& b) {
  if (a.op == Op::comm_split || a.op == Op::comm_split_type)
    return a.extras.color() && a.extras.color() == b.extras.color() && *a.extras.color() != kNull;
  if (a.op == Op::comm_create) return !a.extras.ranks().empty() && a.extras.ranks() == b.extras.ranks();
  return a.op != Op::cart_sub;
}

// The name that an event gives to what it makes; empty where it makes nothing or does not say.
std::string_view made_name(const Scenario& scenario, const Event& event) {
  if (!creates(event.op)) return {};
  if (kind_of(event.op) == OpKind::window) return event.extras.win();
  if (kind_of(event.op) == OpKind::file) return event.extras.file();
  return event.extras.new_comm() == kNoComm
             ? std::string_view{}
             : std::string_view(scenario.comms[static_cast<std::size_t>(event.extras.new_comm())].name);
}

}  // namespace

void ReadHistory::add(const ReadEvent& read, std::uint32_t index, const LineText& line) {
  const Event& event = read.event;
  if (creates(event.op)) {
    for (const Key key : {Key::new_, Key::win_, Key::file_})
      if (read.has(key)) {
        if (file_.empty()) file_ = line.file();
        names_[{read.rank, index}] = {line.number(), line.column_of(read.at(key))};
      }
    for (const auto& [key, name] :
         {std::pair(Key::win_, &event.extras.win()), std::pair(Key::file_, &event.extras.file())}) {
      if (name->empty()) continue;
      made_[{read.rank, key}].push_back(*name);
      made_by_any_.insert(*name);
    }
  }
  if (!was_observed(event)) {
    check_requests(read, line);
    if (!creates(event.op)) {
      check_made(read, Key::win_, event.extras.win(), line);
      check_made(read, Key::file_, event.extras.file(), line);
    }
  }
  if (event.request == kNoRequest || !(gives_request(event.op) || kind_of(event.op) == OpKind::start)) return;
  requests_[read.rank].insert(event.request);
  last_request_[read.rank] = event.request;
}

void ReadHistory::doubt(const ReadEvent& read, std::string name, InputError error) {
  if (doubted_.insert(read.rank).second) doubts_.push_back({read.rank, std::move(name), std::move(error)});
}

// What a start or a pready names is left to the diagnosis, which knows what it means for the schedule.
void ReadHistory::check_requests(const ReadEvent& read, const LineText& line) {
  switch (kind_of(read.event.op)) {
    case OpKind::wait:
    case OpKind::test:
    case OpKind::request: break;
    default: return;
  }
  const auto check = [&](Key key, std::uint32_t number) {
    if (number == kNoRequest || boost::icl::contains(requests_[read.rank], number)) return;
    const auto last = last_request_.find(read.rank);
    const std::string hint =
        last == last_request_.end() ? ": it made none" : fmt::format("; the last that it made is {}", last->second);
    doubt(read, "",
          line.error_at(read.at(key),
                        fmt::format("no earlier call of rank {} made the request {}{}", read.rank, number, hint)));
  };
  check(Key::request_, read.event.request);
  for (const std::uint32_t number : read.event.extras.requests()) check(Key::requests_, number);
}

void ReadHistory::check_made(const ReadEvent& read, Key key, const std::string& name, const LineText& line) {
  const auto made = name.empty() ? made_.end() : made_.find({read.rank, key});
  if (made == made_.end()) return;
  if (std::find(made->second.begin(), made->second.end(), name) != made->second.end()) return;
  const std::vector<std::string_view> names(made->second.begin(), made->second.end());
  const auto meant = nearest(name, names);
  if (!meant) return;
  doubt(read, name,
        line.error_at(read.at(key), fmt::format("no earlier call of rank {} made the {} \"{}\"; did you mean \"{}\"?",
                                                read.rank, key == Key::win_ ? "window" : "file", name, *meant)));
}

void ReadHistory::finish(const Scenario& scenario) const {
  // What another rank makes was not mistyped: this one lacks the call.
  for (const Doubt& doubt : doubts_)
    if (is_whole(scenario, doubt.rank) && !made_by_any_.contains(doubt.name)) throw doubt.error;
  if (!names_.empty()) check_names(scenario);
}

// Collectives join by position, never by name (MPI 4.1, section 6.12), and a name is one thing on all members. Ranks
// whose operations differ at some place have gone apart: from there on, nothing is said.
void ReadHistory::check_names(const Scenario& scenario) const {
  std::map<std::int32_t, std::vector<EventRef>> first;  // by communicator: who came first to each place
  for (const auto& [ref, place] : names_) first[at(scenario, ref).comm];
  for (std::size_t r = 0; r < scenario.ranks.size(); ++r) {
    const RankTrace& trace = scenario.ranks[r];
    if (trace.events.empty() || !is_whole(scenario, static_cast<std::int32_t>(r))) continue;
    std::map<std::int32_t, std::size_t> places;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      const Event& event = trace.events[i];
      if (!is_positional(event.op) || venue_of(event) != Venue{event.comm, {}, {}}) continue;
      const auto found = first.find(event.comm);
      if (found == first.end()) continue;
      auto& order = found->second;
      std::size_t& place = places[event.comm];
      if (place > order.size()) continue;  // went apart
      const EventRef here{static_cast<std::int32_t>(r), i};
      if (place == order.size()) {
        order.push_back(here);
      } else if (at(scenario, order[place]).op != event.op) {
        place = trace.events.size() + order.size() + 1;
        continue;
      } else if (!was_observed(event) && make_the_same(at(scenario, order[place]), event)) {
        const std::string_view mine = made_name(scenario, event),
                               theirs = made_name(scenario, at(scenario, order[place]));
        if (!mine.empty() && !theirs.empty() && mine != theirs) fail_two_names(scenario, order[place], here);
      }
      ++place;
    }
  }
}

void ReadHistory::fail_two_names(const Scenario& scenario, EventRef first, EventRef second) const {
  const Place& before = names_.at(first);
  const Place& here = names_.at(second);
  const Event& event = at(scenario, second);
  throw InputError(
      file_, here.line, here.column,
      fmt::format("rank {} names \"{}\" what rank {} names \"{}\" in line {}: both make it by the same {} on "
                  "\"{}\", which joins by position, so it must have one name",
                  second.rank, made_name(scenario, event), first.rank, made_name(scenario, at(scenario, first)),
                  before.line, name_of(event.op), scenario.comm_of(event).name));
}

}  // namespace petri
