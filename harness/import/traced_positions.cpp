// Where the calls of traced ranks stand, and what they are as events.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "harness/import/traced_job.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/op_keys.hpp"

namespace petri {
namespace {

bool is_message(const TracedCall& call) {
  return call.launch != TracedLaunch::closes &&
         (kind_of(call.event.op) == OpKind::send || kind_of(call.event.op) == OpKind::recv);
}

bool has_position(const TracedCall& call) {
  return call.launch != TracedLaunch::closes && is_positional(call.event.op);
}

// How many elements fit in what memory can have.
bool fits(std::int64_t count, ElementType type) {
  const auto size = std::max<std::int64_t>(1, static_cast<std::int64_t>(size_of(type)));
  return count >= 0 && count <= std::numeric_limits<std::int64_t>::max() / size;
}

}  // namespace

// By number, the most calls that a rank has of it: a rank that lacks one has a gap there.
void TracedJob::count_launches(const Part& part, std::vector<std::unordered_map<std::int64_t, std::int64_t>>& most) {
  std::vector<std::pair<std::int64_t, std::int64_t>> run(most.size(), {-1, 0});  // number, calls of it
  for (const TracedCall& call : part.calls) {
    if (!has_position(call)) continue;
    const auto comm = static_cast<std::size_t>(comms_[static_cast<std::size_t>(call.event.comm)]);
    if (call.event.op == Op::alltoallv) {
      positions_[comm].uneven = true;
      if (call.event.extras.sendcounts().empty()) positions_[comm].unmeasured = true;
    }
    auto& [number, calls] = run[comm];
    if (call.group_seq < 0 || call.group_seq < number) positions_[comm].told = false;
    if (!positions_[comm].told) continue;
    calls = call.group_seq == number ? calls + 1 : 1;
    number = call.group_seq;
    auto& known = most[comm][number];
    known = std::max(known, calls);
  }
}

void TracedJob::find_positions(ImportNotes& notes) {
  std::vector<std::unordered_map<std::int64_t, std::int64_t>> most(positions_.size());
  for (const Part& part : parts_) count_launches(part, most);
  std::uint64_t untold = 0;
  for (std::size_t comm = 0; comm < most.size(); ++comm) {
    Positions& positions = positions_[comm];
    untold += positions.told ? 0 : 1;
    if (!positions.told || most[comm].empty()) {
      positions.told = false;
      continue;
    }
    positions.numbers.assign(most[comm].begin(), most[comm].end());
    std::sort(positions.numbers.begin(), positions.numbers.end());
    // The first call of a group has number 1 (some producers count from 0).
    std::int64_t position = std::max<std::int64_t>(0, positions.numbers.front().first - 1);
    if (position > std::numeric_limits<std::int32_t>::max() / 2) position = 0;
    std::int64_t last = positions.numbers.front().first - 1;
    for (auto& [number, calls] : positions.numbers) {
      position += number - last - 1;  // those that no rank has
      if (position > std::numeric_limits<std::int32_t>::max() - calls) {
        positions.told = false;
        break;
      }
      last = number;
      const std::int64_t behind = position + calls;
      calls = position;
      position = behind;
    }
  }
  if (untold > 0)
    notes.facts.push_back(
        fmt::format("of {} the calls are not numbered: their first calls are taken for the same one on all ranks",
                    counted(untold, "group")));
}

namespace {

// Makes the events of one rank.
class Placer {
 public:
  Placer(RankTrace& trace, ExtrasPool& extras) : trace_(trace), extras_(extras) {}

  void put(Event event, double time) {
    const std::size_t index = trace_.events.size();
    event.seq = static_cast<std::uint32_t>(index);
    extras_.share(event.extras);
    trace_.events.push_back(std::move(event));
    if (!std::isnan(time)) trace_.set_time(index, time);
  }

  void hold(Event event, double time) { held_.emplace_back(std::move(event), time); }
  std::size_t held() const { return held_.size(); }

  // What is held. Several are one launch: all of them are under way before any of them must end.
  void let_go() {
    if (held_.size() == 1) put(std::move(held_.front().first), held_.front().second);
    if (held_.size() > 1) {
      Event wait;
      wait.op = Op::waitall;
      wait.state = held_.back().first.state;
      std::vector<std::uint32_t> requests;
      for (auto& [event, time] : held_) {
        event.op = kind_of(event.op) == OpKind::send ? Op::isend : Op::irecv;
        event.request = requests_;
        requests.push_back(requests_++);
        put(std::move(event), time);
      }
      wait.extras.set_requests(requests);
      put(std::move(wait), held_.back().second);
    }
    held_.clear();
  }

 private:
  RankTrace& trace_;
  ExtrasPool& extras_;
  std::vector<std::pair<Event, double>> held_;
  std::uint32_t requests_ = 0;
};

// All members' counts of an all-to-all in which each exchanges as much with everyone.
void spell_out_counts(Event& event, std::size_t members, bool unmeasured) {
  event.op = Op::alltoallv;
  if (event.count != kUnknownCount && !unmeasured) {
    const std::vector<std::int64_t> counts(members, event.count);
    event.extras.set_sendcounts(counts);
    event.extras.set_recvcounts(counts);
  }
  event.count = kUnknownCount;
}

}  // namespace

// Of an argument that no rank of the group has, nothing is known.
Event TracedJob::settled(const TracedCall& call, const Part& part, const Scenario& scenario) const {
  Event event = call.event;
  event.comm = comms_[static_cast<std::size_t>(call.event.comm)];
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(event.comm)];
  const auto size = static_cast<std::int32_t>(comm.ranks.size());
  const auto group_rank = [&](std::int32_t rank) {
    const bool own_place = rank >= 0 && rank < size && comm.ranks[static_cast<std::size_t>(rank)] == rank;
    return own_place ? rank : comm.group_rank_of(rank);
  };
  if (group_rank(part.rank) < 0)
    throw InputError(part.file, 0, 0,
                     fmt::format("rank {} calls on the group \"{}\", of which it is no member", part.rank, comm.name));
  if (event.peer >= 0 && call.peer_is_global) event.peer = group_rank(event.peer);
  if (event.peer < 0 || event.peer >= size) event.peer = kUnset;
  if (event.root < 0 || event.root >= size) event.root = kUnset;
  if (event.tag < 0) event.tag = kUnset;
  if (!fits(event.count, event.dtype)) event.count = kUnknownCount;
  if (call.counts_all && event.count != kUnknownCount &&
      (event.op == Op::alltoall || event.op == Op::reduce_scatter_block))
    event.count = event.count % size == 0 ? event.count / size : kUnknownCount;
  const Positions& positions = positions_[static_cast<std::size_t>(event.comm)];
  if (event.op == Op::alltoall && positions.uneven) spell_out_counts(event, comm.ranks.size(), positions.unmeasured);
  if (event.state == EventState::unknown && missing_argument(event) != nullptr) event.state = EventState::completed;
  return event;
}

// Messages that were launched together are begun together and waited for together.
void TracedJob::place_part(const Part& part, Scenario& scenario) {
  RankTrace& trace = scenario.ranks[static_cast<std::size_t>(part.rank)];
  trace.events.reserve(part.calls.size());
  Placer placer(trace, extras_);
  Standing standing;
  const auto let_go = [&](bool told) {
    guessed_launches_ += !told && placer.held() > 1 ? 1 : 0;
    placer.let_go();
  };
  for (const TracedCall& call : part.calls) {
    if (call.launch == TracedLaunch::closes) {
      let_go(true);
      continue;
    }
    Event event = settled(call, part, scenario);
    if (!is_message(call)) {
      let_go(false);
      if (has_position(call)) stand(call, part, event, standing);
      placer.put(std::move(event), call.time);
    } else if (call.launch == TracedLaunch::alone) {
      let_go(false);
      placer.put(std::move(event), call.time);
    } else {
      placer.hold(std::move(event), call.time);
    }
  }
  let_go(false);
  end_rank(part, trace, standing, scenario);
}

// The call's position, where it is not the one that follows the rank's last one.
void TracedJob::stand(const TracedCall& call, const Part& part, Event& event, Standing& standing) const {
  const Positions& positions = positions_[static_cast<std::size_t>(event.comm)];
  auto& [first, next, number, within] = standing.try_emplace(event.comm).first->second;
  if (!positions.told) {
    const auto begin = part.begins.find(event.comm);
    if (first < 0) first = next = begin == part.begins.end() ? 0 : begin->second;
    ++next;
    return;
  }
  const auto place = std::lower_bound(positions.numbers.begin(), positions.numbers.end(),
                                      std::pair<std::int64_t, std::int64_t>{call.group_seq, -1});
  within = call.group_seq == number ? within + 1 : 0;
  number = call.group_seq;
  const std::int64_t position = place->second + within;
  if (first < 0) first = next = position;
  if (position != next) event.extras.set_coll_seq(static_cast<std::int32_t>(position));
  next = position + 1;
}

// A group of which the rank shows no call is where it is first seen to be.
void TracedJob::end_rank(const Part& part, RankTrace& trace, const Standing& standing, const Scenario& scenario) const {
  RankEnd& end = trace.end;
  end.stated = true;
  end.kind = part.cut ? EndKind::cut : part.whole_run ? EndKind::finalized : EndKind::running;
  for (std::size_t comm = 0; comm < positions_.size(); ++comm) {
    const Positions& positions = positions_[comm];
    const auto mine = standing.find(static_cast<std::int32_t>(comm));
    if (mine == standing.end() && !positions.told) continue;
    if (mine == standing.end() && scenario.comms[comm].group_rank_of(part.rank) < 0) continue;
    const std::int64_t joined = mine != standing.end() ? mine->second.first : positions.numbers.front().second;
    if (joined == 0) continue;
    end.joined.emplace_back(static_cast<std::int32_t>(comm), static_cast<std::int32_t>(joined));
    end.dropped += static_cast<std::uint64_t>(joined);
  }
}

}  // namespace petri
