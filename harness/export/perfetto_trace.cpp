#include "harness/export/perfetto_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "harness/export/call_arguments.hpp"
#include "harness/export/perfetto_packets.hpp"

namespace petri {
namespace {

using perfetto::Packets;

constexpr std::int64_t kShortestWait_ns = 1000;  // shorter ones are not drawn
constexpr std::int64_t kTail_ns = 5000;          // beyond the last event, at least: what is never left shows itself
constexpr std::int64_t kTailShare = 20;          // of the whole

std::string_view category_of(const Event& event) {
  switch (kind_of(event.op)) {
    case OpKind::send:
    case OpKind::recv:
    case OpKind::sendrecv:
    case OpKind::probe: return "message";
    case OpKind::start:
    case OpKind::partition:
    case OpKind::wait:
    case OpKind::test:
    case OpKind::request: return "completion";
    case OpKind::collective: return "collective";
    case OpKind::comm_create:
    case OpKind::comm_free: return "communicator";
    case OpKind::window:
    case OpKind::rma: return "window";
    case OpKind::file: return "file";
    case OpKind::world: return "world";
    case OpKind::host: return "host";
    case OpKind::device: return "device";
  }
  return "host";
}

// One slice of a track.
struct Slice {
  std::int64_t from = 0, to = 0;
  std::uint32_t event = 0;
  bool waits = false, stays = false;
};

class Writer {
 public:
  Writer(const Scenario& scenario, const Course& course, const PerfettoOptions& options, std::ostream& out)
      : scenario_(scenario),
        course_(course),
        options_(options),
        packets_(out),
        end_(course.end + std::max(kTail_ns, course.end / kTailShare)) {}

  void write() {
    add_tracks();
    for (std::size_t number = 0; number < course_.tracks.size(); ++number) write_track(number);
    write_markers();
  }

 private:
  // Numbers: the whole, the findings, then hosts, ranks and their lines as they come.
  void add_tracks() {
    packets_.add_track({kWhole, 0, 0}, options_.title);
    if (!course_.markers.empty()) packets_.add_track({kFindings, kWhole, 0}, "findings");
    std::map<std::string, std::uint64_t> hosts;
    for (std::size_t first = 0, last = 0; first < course_.tracks.size(); first = last) {
      const std::int32_t rank = course_.tracks[first].rank;
      while (last < course_.tracks.size() && course_.tracks[last].rank == rank) ++last;
      std::uint64_t parent = kWhole;
      if (const auto place = static_cast<std::size_t>(rank); place < scenario_.header.hosts.size()) {
        const auto [host, fresh] = hosts.try_emplace(scenario_.header.hosts[place], 0);
        if (fresh) {
          host->second = next_++;
          packets_.add_track({host->second, kWhole, rank + 1}, "host " + host->first);
        }
        parent = host->second;
      }
      const std::uint64_t own = next_++;
      packets_.add_track({own, parent, rank + 1}, name_of_rank(rank));
      for (std::size_t line = first; line < last; ++line) {
        const bool alone = last - first == 1;
        places_.push_back(alone ? own : next_++);
        if (!alone)
          packets_.add_track({places_.back(), own, static_cast<std::int32_t>(line - first)}, course_.tracks[line].name);
      }
    }
  }
  std::string name_of_rank(std::int32_t rank) const {
    const auto& origin = scenario_.header.origin;
    if (!origin || origin->ranks.empty()) return fmt::format("rank {}", rank);
    return fmt::format("rank {} ({} of the original job)", rank, origin->ranks[static_cast<std::size_t>(rank)]);
  }

  const Span& span(std::int32_t rank, std::uint32_t event) const {
    return course_.spans[static_cast<std::size_t>(rank)][event];
  }

  // In the order in which they begin, outer ones first. Calls of one launch are entered together, and wait as one.
  std::vector<Slice> slices_of(const Track& track) const {
    std::vector<Slice> slices;
    for (std::size_t first = 0, last = 0; first < track.events.size(); first = last) {
      const std::int64_t entered = span(track.rank, track.events[first]).entered;
      std::int64_t began = end_;
      for (; last < track.events.size() && (last == first || span(track.rank, track.events[last]).entered == entered);
           ++last) {
        const Span& own = span(track.rank, track.events[last]);
        if (own.entered == kNever) continue;
        const bool stays = own.left == kNever;
        slices.push_back({own.began, stays ? end_ : own.left, track.events[last], false, stays});
        began = std::min(began, own.began);
      }
      if (entered != kNever && began - entered >= kShortestWait_ns)
        slices.push_back({entered, began, track.events[first], true, false});
    }
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Slice& a, const Slice& b) { return a.from != b.from ? a.from < b.from : a.to > b.to; });
    return slices;
  }

  void write_track(std::size_t number) {
    const Track& track = course_.tracks[number];
    std::vector<std::int64_t> open;  // where the slices end that have begun
    const auto close_until = [&](std::int64_t time) {
      for (; !open.empty() && open.back() <= time; open.pop_back()) packets_.end_slice(places_[number], open.back());
    };
    for (const Slice& slice : slices_of(track)) {
      close_until(slice.from);
      // Slices of a track nest: of a launch, none outlasts the one that began before it.
      open.push_back(open.empty() ? slice.to : std::min(slice.to, open.back()));
      put(places_[number], {track.rank, slice.event}, slice);
    }
    close_until(end_);
  }

  void put(std::uint64_t track, EventRef ref, const Slice& slice) {
    const Event& event = at(scenario_, ref);
    if (slice.waits) {
      packets_.begin_slice(track, slice.from, "waits", "waits", {});
      packets_.argument("for", name_of(event.op));
      return packets_.put_event();
    }
    arrows_.clear();
    for (auto found = std::lower_bound(course_.arrows.begin(), course_.arrows.end(), ref,
                                       [](const ArrowEnd&one, const EventRef&wanted) { return one.at < wanted; });
         found != course_.arrows.end() && found->at == ref; ++found)
      arrows_.push_back(found->number);
    packets_.begin_slice(track, slice.from, name_of_call(event), category_of(event), arrows_);
    give_arguments(scenario_, event, take_);
    if (slice.stays) packets_.argument("blocked", "never left");
    packets_.put_event();
  }

  // "allreduce dp0"; the world is not named.
  std::string name_of_call(const Event& event) const {
    const OpKind kind = kind_of(event.op);
    const bool on_comm = kind == OpKind::collective || kind == OpKind::send || kind == OpKind::recv ||
                         kind == OpKind::sendrecv || kind == OpKind::comm_create || kind == OpKind::comm_free;
    if (!on_comm || event.comm == 0) return std::string(name_of(event.op));
    return fmt::format("{} {}", name_of(event.op), scenario_.comm_of(event).name);
  }

  // Once for each finding on a track of their own, and at each of its calls that was made.
  void write_markers() {
    std::map<EventRef, std::uint64_t> track_of;
    for (const Marker& marker : course_.markers)
      for (const EventRef at : marker.events) track_of[at] = 0;
    for (std::size_t number = 0; number < course_.tracks.size(); ++number)
      for (const std::uint32_t event : course_.tracks[number].events)
        if (const auto found = track_of.find({course_.tracks[number].rank, event}); found != track_of.end())
          found->second = places_[number];
    for (const Marker& marker : course_.markers) {
      std::int64_t first = end_;
      for (const EventRef ref : marker.events) {
        const Span& own = span(ref.rank, ref.index);
        if (own.entered == kNever || track_of[ref] == 0) continue;
        first = std::min(first, own.began);
        put(track_of[ref], own.began, marker);
      }
      put(kFindings, first, marker);
    }
  }
  void put(std::uint64_t track, std::int64_t time, const Marker& marker) {
    packets_.begin_instant(track, time, marker.name, "finding");
    packets_.argument("text", marker.text);
    if (!marker.evidence.empty()) packets_.argument("evidence", marker.evidence);
    packets_.put_event();
  }

  static constexpr std::uint64_t kWhole = 1, kFindings = 2;

  const Scenario& scenario_;
  const Course& course_;
  const PerfettoOptions& options_;
  Packets packets_;
  std::int64_t end_;
  std::uint64_t next_ = 3;
  std::vector<std::uint64_t> places_;  // by track
  std::vector<std::uint64_t> arrows_;  // of the slice that is written
  ArgumentTaker take_{[this](std::string_view name, std::string_view text) { packets_.argument(name, text); },
                      [this](std::string_view name, std::int64_t number) { packets_.argument(name, number); }};
};

}  // namespace

void write_perfetto(const Scenario& scenario, const Course& course, const PerfettoOptions& options, std::ostream& out) {
  Writer(scenario, course, options, out).write();
}

}  // namespace petri
