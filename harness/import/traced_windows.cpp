// Traces of windows that ranks open and close at places of their own: where each begins in the calls of its groups, and
// which messages can be told from others then.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "harness/import/traced_job.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/op_keys.hpp"
#include "harness/trace/rank_ranges.hpp"

namespace petri {
namespace {

// What of a call is equal on all members, where it is no fault.
using Likeness = std::tuple<Op, std::int64_t, ElementType, std::int32_t>;
using Calls = std::vector<Likeness>;

Likeness likeness_of(const Event& event) {
  const bool counts_differ = (info(event.op).traits & kVector) != 0;
  return {event.op, counts_differ ? kUnknownCount : event.count, event.dtype, event.root};
}

// How far one rank's calls begin behind another's, by what explains most: that calls differ where they are, or that all
// calls which both have are equal once some at an end are only one side's. Of what differs at one place, or is left out
// there, nothing is shifted.
class Shifts {
 public:
  std::int64_t of(const Calls& calls, const Calls& others) {
    const auto both = static_cast<std::int64_t>(std::min(calls.size(), others.size()));
    std::int64_t differ = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(both); ++i) differ += calls[i] != others[i] ? 1 : 0;
    const std::int64_t most = differ == both ? differ : differ - 1;  // where nothing agrees it explains no less
    for (std::int64_t shift = 1; shift <= most && compared_ < kMostCompared; ++shift) {
      if (agree(calls, others, shift)) return shift;
      if (agree(others, calls, shift)) return -shift;
    }
    return 0;
  }

 private:
  static constexpr std::size_t kFewest = 2;
  static constexpr std::uint64_t kMostCompared = std::uint64_t{1} << 26;  // of one job

  bool agree(const Calls& calls, const Calls& others, std::int64_t behind) {
    const auto shift = static_cast<std::size_t>(behind);
    if (others.size() < shift + kFewest || calls.size() < kFewest) return false;
    const std::size_t common = std::min(calls.size(), others.size() - shift);
    for (std::size_t i = 0; i < common; ++i) {
      ++compared_;
      if (calls[i] != others[i + shift]) return false;
    }
    return true;
  }

  std::uint64_t compared_ = 0;
};

}  // namespace

// Of groups whose calls have no numbers, by what the calls are. Traces of whole jobs begin together.
void TracedJob::find_windows(ImportNotes& notes) {
  if (std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.whole_run; })) return;
  std::vector<std::vector<std::pair<std::size_t, Calls>>> calls(positions_.size());  // with their parts
  for (std::size_t number = 0; number < parts_.size(); ++number)
    for (const TracedCall& call : parts_[number].calls) {
      if (call.launch == TracedLaunch::closes || !is_positional(call.event.op)) continue;
      const auto comm = static_cast<std::size_t>(comms_[static_cast<std::size_t>(call.event.comm)]);
      if (positions_[comm].told) continue;
      if (calls[comm].empty() || calls[comm].back().first != number) calls[comm].push_back({number, {}});
      calls[comm].back().second.push_back(likeness_of(call.event));
    }
  Shifts shifts;
  std::set<std::int32_t> later;
  for (std::size_t comm = 0; comm < calls.size(); ++comm) {
    if (calls[comm].size() < 2) continue;
    const auto longest =
        std::max_element(calls[comm].begin(), calls[comm].end(),
                         [](const auto& one, const auto& other) { return one.second.size() < other.second.size(); });
    std::vector<std::int64_t> begins;
    for (const auto& [number, mine] : calls[comm]) begins.push_back(shifts.of(mine, longest->second));
    const std::int64_t first = *std::min_element(begins.begin(), begins.end());
    for (std::size_t i = 0; i < begins.size(); ++i) {
      if (begins[i] == first) continue;
      Part& part = parts_[calls[comm][i].first];
      part.begins[static_cast<std::int32_t>(comm)] = begins[i] - first;
      later.insert(part.rank);
    }
  }
  if (!later.empty())
    notes.warnings.push_back(
        fmt::format("calls are not numbered: by what they are, the record of {} begins later than that of others",
                    ranks_in_words({later.begin(), later.end()})));
}

namespace {

using Begins = std::map<std::int32_t, std::int64_t>;  // of one rank, by communicator: of its first call there

// Nothing where the ranks have no call of a group in common.
std::optional<bool> begin_together(const Begins& one, const Begins& other) {
  constexpr int kLookedAt = 64;  // of groups: they tell the same
  std::optional<bool> together;
  int looked = 0;
  for (const auto& [comm, begin] : one) {
    const auto found = other.find(comm);
    if (found != other.end() && !together.value_or(true)) return false;
    if (found != other.end()) together = found->second == begin;
    if (++looked == kLookedAt) break;
  }
  return together;
}

// The messages from one rank to another on a communicator.
struct Channel {
  std::uint64_t sent = 0, received = 0;
  bool all_over = true;
};

}  // namespace

std::map<std::int32_t, std::int64_t> TracedJob::begins_of(const Part& part) const {
  std::map<std::int32_t, std::int64_t> begins;
  for (const TracedCall& call : part.calls) {
    if (call.launch == TracedLaunch::closes || !is_positional(call.event.op)) continue;
    const std::int32_t comm = comms_[static_cast<std::size_t>(call.event.comm)];
    const auto shifted = part.begins.find(comm);
    const std::int64_t unnumbered = shifted == part.begins.end() ? 0 : shifted->second;
    begins.try_emplace(comm, positions_[static_cast<std::size_t>(comm)].told ? call.group_seq : unnumbered);
  }
  return begins;
}

// Messages have no numbers. Where two ranks' windows do not begin together, which message of one is which of the other
// is not known; where all of them are over, nobody waits for any, and they are left out.
void TracedJob::leave_out_messages(const Scenario& scenario, ImportNotes& notes) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Channel> channels;  // communicator, from, to
  const auto channel_of = [&](const Part& part, const TracedCall& call) -> Channel* {
    const OpKind kind = kind_of(call.event.op);
    if (call.launch == TracedLaunch::closes || (kind != OpKind::send && kind != OpKind::recv)) return nullptr;
    const std::int32_t comm = comms_[static_cast<std::size_t>(call.event.comm)], peer = call.event.peer;
    const std::vector<std::int32_t>& ranks = scenario.comms[static_cast<std::size_t>(comm)].ranks;
    if (peer < 0 || (!call.peer_is_global && static_cast<std::size_t>(peer) >= ranks.size())) return nullptr;
    const std::int32_t other = call.peer_is_global ? peer : ranks[static_cast<std::size_t>(peer)];
    return kind == OpKind::send ? &channels[{comm, part.rank, other}] : &channels[{comm, other, part.rank}];
  };
  for (const Part& part : parts_)
    for (const TracedCall& call : part.calls)
      if (Channel* const channel = channel_of(part, call)) {
        ++(kind_of(call.event.op) == OpKind::send ? channel->sent : channel->received);
        channel->all_over = channel->all_over && call.event.state == EventState::completed;
      }
  if (channels.empty()) return;
  std::map<std::int32_t, Begins> begins;  // by rank
  for (const Part& part : parts_) begins[part.rank] = begins_of(part);
  std::set<const Channel*> unknown;
  for (const auto& [key, channel] : channels) {
    const auto from = begins.find(std::get<1>(key)), to = begins.find(std::get<2>(key));
    if (!channel.all_over || from == begins.end() || to == begins.end()) continue;
    if (!begin_together(from->second, to->second).value_or(channel.sent == channel.received)) unknown.insert(&channel);
  }
  std::uint64_t left_out = 0;
  for (Part& part : parts_)
    left_out +=
        std::erase_if(part.calls, [&](const TracedCall& call) { return unknown.contains(channel_of(part, call)); });
  if (left_out > 0)
    notes.facts.push_back(fmt::format("left out, as they are over and the windows of their two sides begin apart: {}",
                                      counted(left_out, "message")));
}

}  // namespace petri
