#include "harness/import/flight_calls.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "harness/import/flight_titles.hpp"

namespace petri {
namespace {

constexpr double kNanosecond = 1e-9;

class Calls {
 public:
  explicit Calls(const FlightDump& dump) : dump_(dump), titles_(dump.texts.size()) {}

  FlightCalls read() {
    calls_.backends.resize(dump_.groups.size() + 1);
    calls_.events.reserve(dump_.entries.size());
    calls_.positions.reserve(dump_.entries.size());
    calls_.times.reserve(dump_.entries.size());
    if (!dump_.entries.empty()) calls_.lost = static_cast<std::uint64_t>(std::max<std::int64_t>(0, first().record_id));
    for (std::size_t at = 0; at < dump_.entries.size();) at = take(at);
    for (const FlightEntry& entry : dump_.entries)
      if (entry.group < dump_.groups.size()) calls_.local_ids.emplace(entry.pg_id, entry.group);
    find_last_messages();
    calls_.unknown.assign(unknown_.begin(), unknown_.end());
    calls_.foreign.assign(foreign_.begin(), foreign_.end());
    return std::move(calls_);
  }

 private:
  void find_last_messages() {
    constexpr std::int64_t kUnstated = std::numeric_limits<std::int64_t>::max(), kNone = -1;
    std::vector<std::int64_t> last(dump_.groups.size() + 1, kNone);  // by group
    for (const FlightEntry& entry : dump_.entries) {
      std::int64_t& of_group = last[std::min<std::size_t>(entry.group, dump_.groups.size())];
      of_group = std::max(of_group, entry.p2p_seq < 0 ? kUnstated : entry.p2p_seq);
    }
    for (std::size_t group = 0; group < last.size(); ++group)
      if (last[group] != kNone && last[group] != kUnstated)
        calls_.last_message.emplace(static_cast<std::int32_t>(group), last[group]);
  }

  const FlightEntry& first() const { return dump_.entries.front(); }

  const FlightTitle& title_of(const FlightEntry& entry) {
    auto& title = titles_[entry.name];
    if (!title) title = read_flight_title(dump_.text(entry.name));
    return *title;
  }

  static std::int64_t launch_of(const FlightEntry& entry) {
    return entry.is_p2p ? entry.p2p_seq : entry.collective_seq;
  }

  // Where a launch of several calls ends: the place behind its entries, which share group and number. A launch of
  // messages is one only with the entry that closes it: older recorders count messages outside of launches otherwise.
  std::size_t end_of_launch(std::size_t begin) {
    const FlightEntry& one = dump_.entries[begin];
    if (launch_of(one) < 0) return begin + 1;
    std::size_t end = begin;
    bool closed = false;
    while (!closed && end < dump_.entries.size() && is_same_launch(one, dump_.entries[end]))
      closed = title_of(dump_.entries[end++]).coalesced;
    return closed || !one.is_p2p ? end : begin + 1;
  }

  // PyTorch 2.4 marks the entry that closes a launch of messages as none of messages, and counts the launch as a
  // collective: then it has both numbers of the messages.
  bool is_same_launch(const FlightEntry& one, const FlightEntry& other) {
    if (one.group != other.group) return false;
    if (one.is_p2p == other.is_p2p) return launch_of(one) == launch_of(other);
    return one.is_p2p && title_of(other).coalesced && one.collective_seq == other.collective_seq &&
           one.p2p_seq == other.p2p_seq;
  }

  // Takes the launch that begins at an entry; returns the place behind it.
  std::size_t take(std::size_t begin) {
    if (const std::size_t behind = end_of_left_over(begin); behind != begin) {
      calls_.left_over.insert(
          static_cast<std::int32_t>(std::min<std::size_t>(dump_.entries[begin].group, dump_.groups.size())));
      return behind;
    }
    const std::size_t end = end_of_launch(begin);
    count_numbers(begin, end);
    const FlightEntry& last = dump_.entries[end - 1];
    const bool closed = title_of(last).coalesced;
    const std::size_t members = end - begin - (closed ? 1 : 0);
    if (dump_.entries[begin].is_p2p && closed)
      take_messages(begin, end - 1, last);
    else if (members > 1 || closed)
      take_collectives(begin, begin + members, last);
    else
      add(last, last.state);
    return end;
  }

  // A dump of outstanding calls only (onlyActive) still has the members of launches that are over, but not what closed
  // these: the record behind them is not there, or, at the end, the group has nothing pending. Returns the place behind
  // such members, or `begin`.
  std::size_t end_of_left_over(std::size_t begin) {
    const auto is_member = [&](const FlightEntry& entry) {
      return entry.is_p2p && entry.state == EventState::scheduled && !entry.retired && !title_of(entry).coalesced;
    };
    const FlightEntry& one = dump_.entries[begin];
    if (!is_member(one) || one.record_id < 0) return begin;
    std::size_t end = begin + 1;
    while (end < dump_.entries.size() && is_member(dump_.entries[end]) && is_same_launch(one, dump_.entries[end]) &&
           dump_.entries[end].record_id == dump_.entries[end - 1].record_id + 1)
      ++end;
    if (end < dump_.entries.size())
      return dump_.entries[end].record_id > dump_.entries[end - 1].record_id + 1 ? end : begin;
    const auto status = std::find_if(dump_.status.begin(), dump_.status.end(),
                                     [&](const auto& entry) { return entry.first == one.pg_id; });
    if (status == dump_.status.end() || status->second.last_completed < 0) return begin;
    return status->second.last_completed == status->second.last_enqueued ? end : begin;
  }

  // Before PyTorch 2.6 a launch of messages takes a number of the collectives (ProcessGroupNCCL.cpp, startCoalescing):
  // it has one that no collective before it had.
  void count_numbers(std::size_t begin, std::size_t end) {
    const FlightEntry& last = dump_.entries[end - 1];
    if (last.collective_seq < 0) return;
    const std::size_t group = std::min<std::size_t>(last.group, dump_.groups.size());
    auto [known, is_first] = numbers_.try_emplace(group, calls_.lost == 0 ? 0 : last.collective_seq);
    if (last.collective_seq <= known->second) return;
    known->second = last.collective_seq;
    if (dump_.entries[begin].is_p2p && end - begin > 1) ++taken_[group];
  }

  // Only the closing entry is followed through its states.
  void take_messages(std::size_t begin, std::size_t end, const FlightEntry& closing) {
    if (begin == end) return;  // its members were lost with the start of the ring
    std::vector<std::uint32_t> requests;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t place = calls_.events.size();
      add(dump_.entries[i], EventState::completed);
      if (calls_.events.size() == place) continue;  // not known
      Event& event = calls_.events.back();
      event.op = event.op == Op::send ? Op::isend : Op::irecv;
      event.request = next_request_++;
      requests.push_back(event.request);
    }
    if (requests.empty()) return;
    put(closing, Op::waitall, closing.state);
    Event& wait = calls_.events.back();
    wait.comm = calls_.events[calls_.events.size() - 2].comm;
    if (wait.state != EventState::completed) wait.state = EventState::started;
    wait.extras.set_requests(requests);
  }

  void take_collectives(std::size_t begin, std::size_t end, const FlightEntry& closing) {
    if (begin == end) {
      ++calls_.opaque;
      put(closing, Op::allgather, closing.state);
      return;
    }
    const std::size_t place = calls_.events.size();
    add(dump_.entries[begin], closing.state);
    if (calls_.events.size() == place) return;  // not known
    Event& event = calls_.events[place];
    for (std::size_t i = begin + 1; i < end; ++i) {
      const FlightEntry& entry = dump_.entries[i];
      const auto& title = title_of(entry);
      if (!title.op || *title.op != event.op) return event.count = kUnknownCount, void();
      const std::int64_t count = count_of(entry, event.op);
      event.count = count < 0 || event.count < 0 || entry.in_type != dump_.entries[begin].in_type ? kUnknownCount
                                                                                                  : event.count + count;
    }
  }

  void add(const FlightEntry& entry, EventState state) {
    const FlightTitle& title = title_of(entry);
    const bool numbered = !entry.is_p2p && entry.collective_seq >= 0;
    if (!title.op) (numbered ? foreign_ : unknown_).insert(dump_.text(entry.name));
    if (!title.op && !numbered) return;
    put(entry, title.op.value_or(Op::barrier), state);
    if (title.op == Op::send || title.op == Op::recv) calls_.events.back().peer = title.peer;
  }

  void put(const FlightEntry& entry, Op op, EventState state) {
    const std::size_t group = std::min<std::size_t>(entry.group, dump_.groups.size());
    if (calls_.backends[group].empty()) calls_.backends[group] = title_of(entry).backend;
    if (state == EventState::unknown && !is_over_on_host(entry)) ++calls_.stateless;
    Event event;
    event.op = op;
    event.comm = static_cast<std::int32_t>(group);
    event.state = is_over_on_host(entry)         ? EventState::completed
                  : state == EventState::unknown ? EventState::scheduled
                                                 : state;
    event.count = count_of(entry, op);
    if (op != Op::barrier && op != Op::waitall)
      event.dtype = entry.in_type != ElementType::unknown ? entry.in_type : entry.out_type;
    event.site = entry.site;
    event.seq = static_cast<std::uint32_t>(calls_.events.size());
    calls_.events.push_back(std::move(event));
    calls_.positions.push_back(is_positional(op) ? position_of(entry) : kNoPosition);
    if (const auto taken = taken_.find(group); taken != taken_.end()) {
      calls_.taken.resize(calls_.positions.size(), 0);
      calls_.taken.back() = taken->second;
    }
    calls_.times.push_back(entry.created_ns > 0 ? static_cast<double>(entry.created_ns) * kNanosecond
                                                : std::numeric_limits<double>::quiet_NaN());
  }

  // Backends of the host have no device events to be asked: what the recorder has let go of is over. Of NCCL's calls it
  // also lets go of those that timed out.
  bool is_over_on_host(const FlightEntry& entry) {
    const std::string_view backend = title_of(entry).backend;
    return entry.retired && (backend == "gloo" || backend == "mpi" || backend == "ucc");
  }

  static std::int32_t position_of(const FlightEntry& entry) {
    return entry.collective_seq >= 0 && entry.collective_seq <= std::numeric_limits<std::int32_t>::max()
               ? static_cast<std::int32_t>(entry.collective_seq)
               : kNoPosition;
  }

  // Elements as a scenario counts them: of one member's part.
  std::int64_t count_of(const FlightEntry& entry, Op op) {
    if (title_of(entry).uneven) return kUnknownCount;
    switch (op) {
      case Op::barrier:
      case Op::alltoall:  // its parts may differ in size, and are not recorded
      case Op::waitall: return kUnknownCount;
      case Op::reduce_scatter_block:
        return entry.in_tensors <= 1 || is_even(entry.out_count, entry.in_count, entry) ? entry.out_count
                                                                                        : kUnknownCount;
      case Op::allgather:
        return entry.out_tensors <= 1 || is_even(entry.in_count, entry.out_count, entry) ? entry.in_count
                                                                                         : kUnknownCount;
      case Op::scatter:
      case Op::recv: return entry.out_count >= 0 ? entry.out_count : entry.in_count;
      default: return entry.in_count >= 0 ? entry.in_count : entry.out_count;
    }
  }

  // Does every member have a part of the same size? Tensor lists of different sizes are legal.
  bool is_even(std::int64_t part, std::int64_t whole, const FlightEntry& entry) const {
    if (part < 0 || whole < 0 || entry.group >= dump_.groups.size()) return false;
    const auto members = static_cast<std::int64_t>(dump_.ranks_of(dump_.groups[entry.group]).size());
    return members > 0 && whole % members == 0 && whole / members == part;
  }

  const FlightDump& dump_;
  std::vector<std::optional<FlightTitle>> titles_;  // by text
  std::set<std::string> unknown_, foreign_;
  std::map<std::size_t, std::int64_t> numbers_;  // by group: the last one of a collective
  std::map<std::size_t, std::int32_t> taken_;    // by group: how many of them are numbers of launches of messages
  std::uint32_t next_request_ = 0;
  FlightCalls calls_;
};

}  // namespace

FlightCalls calls_of(const FlightDump& dump) {
  return Calls(dump).read();
}

}  // namespace petri
