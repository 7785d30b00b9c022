#include "reducers/positions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "harness/trace/venue.hpp"

namespace petri::reduce {
namespace {

std::int32_t* joined_on(RankTrace& trace, const Venue& venue) {
  if (!venue.window.empty() || !venue.file.empty()) return nullptr;
  for (auto& [comm, position] : trace.end.joined)
    if (comm == venue.comm) return &position;
  return nullptr;
}

// Lowers what a rank says of a communicator: its place, and the places that its calls there state.
void lower(RankTrace& rank, std::int32_t comm, std::int32_t by) {
  for (auto& [named, position] : rank.end.joined)
    if (named == comm) position -= by;
  for (Event& event : rank.events) {
    if (event.comm != comm || event.extras.coll_seq() == kUnset || !is_positional(event.op)) continue;
    const Venue venue = venue_of(event);
    if (venue.window.empty() && venue.file.empty())
      event.extras.set_coll_seq(std::max(0, event.extras.coll_seq() - by));
  }
}

}  // namespace

void keep_positions(const RankTrace& from, const std::vector<std::uint32_t>& source, RankTrace& to) {
  std::map<Venue, std::int32_t> gone;
  std::set<Venue> begun;  // those on which an event stays
  std::uint32_t next = 0;
  const auto drop_until = [&](std::size_t end) {
    for (; next < end; ++next) {
      if (!is_positional(from.events[next].op)) continue;
      const Venue venue = venue_of(from.events[next]);
      std::int32_t* joined = joined_on(to, venue);
      if (joined != nullptr && !begun.contains(venue))
        *joined = std::max(*joined + 1, from.events[next].extras.coll_seq() + 1);
      else
        ++gone[venue];
    }
  };
  for (std::size_t i = 0; i < source.size(); ++i, ++next) {
    drop_until(source[i]);
    if (!is_positional(from.events[next].op)) continue;
    const Venue venue = venue_of(from.events[next]);
    begun.insert(venue);
    EventExtras& extras = to.events[i].extras;
    if (const auto found = gone.find(venue); found != gone.end() && extras.coll_seq() != kUnset)
      extras.set_coll_seq(std::max(0, extras.coll_seq() - found->second));
  }
  drop_until(from.events.size());
}

void settle_joined(Scenario& scenario) {
  struct Start {
    std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = 0;
    std::size_t members = 0;  // that say where theirs is
  };
  std::map<std::int32_t, Start> starts;
  for (const RankTrace& rank : scenario.ranks)
    for (const auto& [comm, position] : rank.end.joined) {
      Start& start = starts[comm];
      start.least = std::min(start.least, position);
      start.most = std::max(start.most, position);
      ++start.members;
    }
  for (const auto& one : starts) {  // clang 14 captures no binding in a lambda
    const std::int32_t comm = one.first;
    const Start& start = one.second;
    if (start.members < scenario.comms[static_cast<std::size_t>(comm)].ranks.size()) continue;
    for (RankTrace& rank : scenario.ranks) {
      if (rank.end.joined.empty()) continue;
      if (start.least > 0) lower(rank, comm, start.least);
      // All begin at one place: nothing has to be said of it.
      if (start.least != start.most) continue;
      std::erase_if(rank.end.joined, [&](const auto& entry) { return entry.first == comm; });
      if (rank.end.joined.empty()) rank.end.dropped = 0;
    }
  }
}

}  // namespace petri::reduce
