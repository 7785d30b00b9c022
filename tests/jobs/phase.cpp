#include "tests/jobs/phase.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace petri::jobs {

std::vector<std::int32_t> Phase::all() const {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(world()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Phase& Phase::add(std::int32_t rank, std::string_view site, Event event) {
  event.step = place_.step;
  event.site = job_.scenario.symbols.intern(site);
  calls_[static_cast<std::size_t>(rank)].push_back(std::move(event));
  return *this;
}

Phase& Phase::add_to_all(std::string_view site, const Event& event) {
  for (const std::int32_t rank : all()) add(rank, site, event);
  return *this;
}

Phase& Phase::add_to_others(std::string_view site, const Event& event) {
  for (const std::int32_t rank : all())
    if (rank != culprit()) add(rank, site, event);
  return *this;
}

std::int32_t Phase::duplicate(std::string_view name, std::string_view site) {
  Communicator comm;
  comm.name = name;
  comm.ranks = all();
  comm.parent = job_.scenario.comms[static_cast<std::size_t>(job_.wide)].name;
  const std::int32_t made = job_.scenario.add_comm(std::move(comm));
  add_to_all(site, on(wide(), making(made, call(Op::comm_dup))));
  return made;
}

std::int32_t Phase::group(std::string_view name, std::vector<std::int32_t> ranks, std::string_view site) {
  std::sort(ranks.begin(), ranks.end());
  Communicator comm;
  comm.name = name;
  comm.ranks = ranks;
  comm.parent = job_.scenario.comms[static_cast<std::size_t>(job_.wide)].name;
  const std::int32_t made = job_.scenario.add_comm(std::move(comm));
  for (const std::int32_t rank : ranks) {
    Event event = on(wide(), making(made, call(Op::comm_create_group)));
    event.extras.edit().ranks = ranks;  // the wide communicator has the order of the world
    add(rank, site, std::move(event));
  }
  return made;
}

void Phase::ends(std::int32_t rank, EndKind how) {
  ended_.emplace_back(rank, how);
}

void Phase::plant() {
  for (const std::int32_t rank : all()) splice(rank);
  for (const auto& [rank, how] : ended_) {
    RankEnd& end = job_.scenario.ranks[static_cast<std::size_t>(rank)].end;
    end.kind = how;
    end.stated = true;
  }
}

void Phase::splice(std::int32_t rank) {
  RankTrace& trace = job_.scenario.ranks[static_cast<std::size_t>(rank)];
  auto& events = trace.events;
  const auto seam = events.begin() + meeting_of(job_, rank, place_.step);
  const bool gone = std::any_of(ended_.begin(), ended_.end(), [&](const auto& one) { return one.first == rank; });
  std::vector<Event> after;
  if (rest_ == Rest::follows && !gone) after.assign(seam, events.end());
  if (rest_ == Rest::closed && !gone) after.assign(std::prev(events.end()), events.end());
  events.erase(seam, events.end());
  auto& calls = calls_[static_cast<std::size_t>(rank)];
  std::move(calls.begin(), calls.end(), std::back_inserter(events));
  if (rest_ == Rest::recorded) {
    for (Event& event : events) event.state = EventState::completed;
    events.back().state = EventState::started;
    trace.end.kind = EndKind::running;
  }
  std::move(after.begin(), after.end(), std::back_inserter(events));
  for (std::size_t index = 0; index < events.size(); ++index) events[index].seq = static_cast<std::uint32_t>(index);
}

}  // namespace petri::jobs
