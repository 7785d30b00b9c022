#include "harness/import/unrecorded_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_set>
#include <vector>

namespace petri {
namespace {

// Of one communicator: the positions behind the collectives that recorded ranks made, and from which some rank went on.
struct Counts {
  std::map<std::int32_t, std::int64_t> made;  // by rank
  std::int64_t gone_past = 0;
  bool all_completed = true;  // of the calls: nobody waits there

  // Those that a rank of which nothing is there is taken to have made.
  std::int64_t common(bool any_behind) const {
    std::int64_t least = std::numeric_limits<std::int32_t>::max();
    for (const auto& [rank, calls] : made) least = std::min(least, calls);
    return std::max(any_behind ? least : least - 1, gone_past);
  }
};

constexpr std::size_t kMostJoined = std::size_t{1} << 20;  // places of ranks in groups: a small file can claim more

bool is_missing(const RankTrace& trace) {
  return trace.end.kind == EndKind::missing;
}

// Has the rank gone on from a call of its host, so that it is over? Of one that is enqueued that proves nothing.
bool went_on(const RankTrace& trace, std::size_t index) {
  const Event& event = trace.events[index];
  if (event.state == EventState::completed) return true;
  const bool is_last = index + 1 == trace.events.size();
  return form_of(event.op) == OpForm::blocking && event.extras.stream().empty() &&
         (!is_last || (event.state == EventState::unknown && trace.end.kind != EndKind::cut));
}

// By communicator; nobody has made a call on one whose members are not known.
std::vector<Counts> calls_made(const Scenario& scenario) {
  std::vector<Counts> counts(scenario.comms.size());
  for (std::size_t comm = 0; comm < counts.size(); ++comm)
    for (const std::int32_t rank : scenario.comms[comm].ranks)
      if (scenario.comms[comm].known && !is_missing(scenario.ranks[static_cast<std::size_t>(rank)]))
        counts[comm].made[rank] = 0;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    const RankTrace& trace = scenario.ranks[rank];
    const auto number = static_cast<std::int32_t>(rank);
    if (is_missing(trace)) continue;
    for (const auto& [comm, position] : trace.end.joined)
      counts[static_cast<std::size_t>(comm)].made[number] = position;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const Event& event = trace.events[i];
      if (kind_of(event.op) != OpKind::collective) continue;
      Counts& here = counts[static_cast<std::size_t>(event.comm)];
      std::int64_t& position = here.made[number];
      if (event.extras.coll_seq() != kUnset) position = event.extras.coll_seq();
      ++position;
      here.all_completed = here.all_completed && event.state == EventState::completed;
      if (!is_rooted(event.op) && went_on(trace, i)) here.gone_past = std::max(here.gone_past, position);
    }
  }
  return counts;
}

bool one_is_behind(const Counts& counts) {
  return std::any_of(counts.made.begin(), counts.made.end(),
                     [&](const auto& one) { return one.second != counts.made.begin()->second; });
}

// The messages of a recorded rank with those that are not.
class Messages {
 public:
  explicit Messages(const Scenario& scenario) : scenario_(scenario) {}

  // Marks as completed those from which the rank went on.
  void end_those_gone_past(RankTrace& trace) {
    open_.clear();
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      Event& event = trace.events[i];
      if (waits_for_unrecorded(event) && event.state == EventState::unknown && went_on(trace, i))
        event.state = EventState::completed;
    }
  }

 private:
  bool waits_for_unrecorded(const Event& event) {
    const OpKind kind = kind_of(event.op);
    if (kind == OpKind::wait) {
      const auto requests = event.extras.requests();
      return open_.contains(event.request) ||
             std::any_of(requests.begin(), requests.end(), [&](std::uint32_t one) { return open_.contains(one); });
    }
    const EventExtras& extras = event.extras;
    const bool message = kind == OpKind::send || kind == OpKind::recv;
    if (!extras.stream().empty() || (!message && kind != OpKind::sendrecv)) return false;
    if (!is_unrecorded(event.comm, event.peer) && !is_unrecorded(event.comm, extras.sendpeer()) &&
        !is_unrecorded(event.comm, extras.recvpeer()))
      return false;
    if (form_of(event.op) == OpForm::blocking) return true;
    if (event.request != kNoRequest) open_.insert(event.request);
    return false;
  }

  // Of any source it may have come, too.
  bool is_unrecorded(std::int32_t comm, std::int32_t peer) const {
    const Communicator& group = scenario_.comms[static_cast<std::size_t>(comm)];
    if (peer == kAny) return true;
    if (!group.known || group.is_inter() || peer < 0) return false;
    const auto place = static_cast<std::size_t>(peer);
    if (comm != 0 && place >= group.ranks.size()) return false;
    const auto rank = comm == 0 ? place : static_cast<std::size_t>(group.ranks[place]);
    return rank < scenario_.ranks.size() && is_missing(scenario_.ranks[rank]);
  }

  const Scenario& scenario_;
  std::unordered_set<std::uint32_t> open_;  // requests
};

}  // namespace

void join_unrecorded(Scenario& scenario) {
  if (std::none_of(scenario.ranks.begin(), scenario.ranks.end(), is_missing)) return;
  Messages messages(scenario);
  for (RankTrace& trace : scenario.ranks) messages.end_those_gone_past(trace);
  const std::vector<Counts> counts = calls_made(scenario);
  const bool any_behind = std::any_of(counts.begin(), counts.end(), one_is_behind);
  std::size_t joined = 0;
  for (std::size_t comm = 0; comm < counts.size(); ++comm) {
    if (counts[comm].made.empty() || counts[comm].all_completed) continue;
    const std::int64_t common = counts[comm].common(any_behind);
    for (const std::int32_t rank : scenario.comms[comm].ranks) {
      RankTrace& trace = scenario.ranks[static_cast<std::size_t>(rank)];
      if (common <= 0 || !is_missing(trace) || ++joined > kMostJoined) continue;
      trace.end.joined.emplace_back(static_cast<std::int32_t>(comm), static_cast<std::int32_t>(common));
    }
  }
}

}  // namespace petri
