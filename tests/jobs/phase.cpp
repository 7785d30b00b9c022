#include "tests/jobs/phase.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace petri::jobs {
namespace {

constexpr std::size_t kLeast = 3;  // members of a group: of two that differ, nothing says which one is wrong

}  // namespace

Phase::Phase(Job& job, Place place)
    : job_(job),
      place_(place),
      comm_(job.wide),
      members_(job.scenario.comms[static_cast<std::size_t>(job.wide)].ranks),
      calls_(job.scenario.ranks.size()) {
  if (place.in_group) enter_group();
}

void Phase::enter_group() {
  const auto all = members_;
  for (std::size_t number = 0; number < job_.scenario.comms.size(); ++number) {
    const auto& ranks = job_.scenario.comms[number].ranks;
    if (ranks.size() < kLeast || ranks.size() >= members_.size()) continue;
    if (std::find(ranks.begin(), ranks.end(), culprit()) == ranks.end()) continue;
    comm_ = static_cast<std::int32_t>(number);
    members_ = ranks;
  }
  if (members_ == all) split_in_halves();
}

void Phase::split_in_halves() {
  const auto all = members_;
  const std::size_t middle = all.size() / 2;
  if (middle < kLeast) throw NoPlace("too few ranks for two groups");
  for (const bool lower : {true, false}) {
    Communicator half;
    half.name = lower ? "lower-half" : "upper-half";
    half.parent = job_.scenario.comms[static_cast<std::size_t>(job_.wide)].name;
    half.ranks.assign(lower ? all.begin() : all.begin() + static_cast<std::ptrdiff_t>(middle),
                      lower ? all.begin() + static_cast<std::ptrdiff_t>(middle) : all.end());
    const std::int32_t made = job_.scenario.add_comm(half);
    for (const std::int32_t rank : half.ranks) {
      Event event = on(job_.wide, making(made, call(Op::comm_split)));
      event.extras.set_color(lower ? 0 : 1);
      event.extras.set_key(0);
      add(rank, "halves.cpp:8", std::move(event));
      if (rank == culprit()) comm_ = made;
    }
  }
  members_ = job_.scenario.comms[static_cast<std::size_t>(comm_)].ranks;
}

std::int32_t Phase::group_rank(std::int32_t rank) const {
  return static_cast<std::int32_t>(std::find(members_.begin(), members_.end(), rank) - members_.begin());
}

std::int32_t Phase::neighbour(std::int32_t n) const {
  return members_[static_cast<std::size_t>(group_rank(culprit()) + n) % members_.size()];
}

Phase& Phase::add(std::int32_t rank, std::string_view site, Event event) {
  event.step = place_.step;
  event.site = job_.scenario.symbols.intern(site);
  calls_[static_cast<std::size_t>(rank)].push_back(std::move(event));
  return *this;
}

Phase& Phase::add_to_all(std::string_view site, const Event& event) {
  for (const std::int32_t rank : members_) add(rank, site, event);
  return *this;
}

Phase& Phase::add_to_others(std::string_view site, const Event& event) {
  for (const std::int32_t rank : members_)
    if (rank != culprit()) add(rank, site, event);
  return *this;
}

std::int32_t Phase::duplicate(std::string_view name, std::string_view site) {
  Communicator comm;
  comm.name = name;
  comm.ranks = members_;
  comm.parent = job_.scenario.comms[static_cast<std::size_t>(comm_)].name;
  const std::int32_t made = job_.scenario.add_comm(std::move(comm));
  add_to_all(site, on(comm_, making(made, call(Op::comm_dup))));
  return made;
}

std::int32_t Phase::group(std::string_view name, std::vector<std::int32_t> ranks, std::string_view site) {
  std::sort(ranks.begin(), ranks.end());
  Communicator comm;
  comm.name = name;
  comm.ranks = ranks;
  comm.parent = job_.scenario.comms[static_cast<std::size_t>(comm_)].name;
  const std::int32_t made = job_.scenario.add_comm(std::move(comm));
  std::vector<std::int32_t> members;
  for (const std::int32_t member : ranks) members.push_back(group_rank(member));
  for (const std::int32_t rank : ranks) {
    Event event = on(comm_, making(made, call(Op::comm_create_group)));
    event.extras.set_ranks(members);
    add(rank, site, std::move(event));
  }
  return made;
}

void Phase::ends(std::int32_t rank, EndKind how) {
  ended_.emplace_back(rank, how);
}

bool Phase::is_gone(std::int32_t rank) const {
  return std::any_of(ended_.begin(), ended_.end(), [&](const auto& one) { return one.first == rank; });
}

void Phase::plant() {
  const bool empty = std::all_of(calls_.begin(), calls_.end(), [](const auto& calls) { return calls.empty(); });
  if (empty) return number_calls();
  // In a group the phase ends with a meeting of its own, as the job goes on to the one of all.
  if (place_.in_group && rest_ == Rest::follows)
    for (const std::int32_t rank : members_)
      if (!is_gone(rank)) add(rank, "group.cpp:9", on(comm_, reduction(Op::allreduce, 1)));
  for (std::int32_t rank = 0; rank < job_.scenario.world(); ++rank) splice(rank);
  for (const auto& [rank, how] : ended_) {
    RankEnd& end = job_.scenario.ranks[static_cast<std::size_t>(rank)].end;
    end.kind = how;
    end.stated = true;
  }
  number_calls();
}

void Phase::number_calls() {
  for (RankTrace& rank : job_.scenario.ranks)
    for (std::size_t index = 0; index < rank.events.size(); ++index)
      rank.events[index].seq = static_cast<std::uint32_t>(index);
}

void Phase::splice(std::int32_t rank) {
  RankTrace& trace = job_.scenario.ranks[static_cast<std::size_t>(rank)];
  auto& events = trace.events;
  const auto meeting = events.begin() + meeting_of(job_, rank, place_.step);
  const bool takes_part = std::binary_search(members_.begin(), members_.end(), rank);
  std::vector<Event> after;
  if (rest_ == Rest::follows && !is_gone(rank)) after.assign(meeting, events.end());
  if (rest_ == Rest::closed && !is_gone(rank)) after.assign(std::prev(events.end()), events.end());
  if (rest_ == Rest::recorded && !takes_part) after.assign(meeting, std::next(meeting));
  events.erase(meeting, events.end());
  for (auto* more : {&calls_[static_cast<std::size_t>(rank)], &after})
    std::move(more->begin(), more->end(), std::back_inserter(events));
  if (rest_ == Rest::recorded) {
    for (Event& event : events) event.state = EventState::completed;
    events.back().state = EventState::started;
    trace.end.kind = EndKind::running;
  }
}

}  // namespace petri::jobs
