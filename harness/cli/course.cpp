#include "harness/cli/course.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "harness/cli/course_arrows.hpp"
#include "harness/cli/course_lines.hpp"
#include "harness/cli/course_meetings.hpp"
#include "harness/cli/course_times.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::cli {
namespace {

using namespace course;

constexpr std::int64_t kStep_ns = 1000;          // of the causal order, where no times are recorded
constexpr std::int64_t kLongest_ns = 1'000'000;  // how long a call is drawn whose return was not recorded
constexpr std::int64_t kShortest_ns = 1'000;     // and how long one that returns at once

// What a call waits for.
struct Need {
  enum Kind : std::uint8_t { meeting, launcher, ticket } kind = meeting;
  std::uint64_t what = 0;      // a meeting, a launcher's key, or a line
  std::uint32_t launches = 0;  // of a ticket
};

// Performs the lines of a scenario side by side and says when each call begins and ends.
class Clockwork {
 public:
  Clockwork(const Scenario& scenario, const model::Run& run, Course& course)
      : scenario_(scenario),
        recorded_(scenario),
        meetings_(scenario, run),
        lines_(lines_of(scenario, run)),
        course_(course) {
    course_.recorded = recorded_.there();
    for (const RankTrace& rank : scenario.ranks) course_.spans.emplace_back(rank.events.size());
    missing_.reserve(meetings_.size());
    for (std::uint32_t meeting = 0; meeting < meetings_.size(); ++meeting)
      missing_.push_back(meetings_.parties(meeting));
    met_.assign(meetings_.size(), 0);
    hands_.resize(lines_.all.size());
    requests_.resize(scenario.ranks.size());
  }

  void perform() {
    for (std::uint32_t line = 0; line < hands_.size(); ++line) wake(line);
    while (true) {
      while (!awake_.empty()) {
        const std::uint32_t line = awake_.back();
        awake_.pop_back();
        hands_[line].awake = false;
        advance(line);
      }
      if (!force()) break;
    }
    for (const auto& spans : course_.spans)
      for (const Span& span : spans) course_.end = std::max({course_.end, span.began, span.left});
  }

  const Meetings& meetings() const { return meetings_; }
  const Completions& completed() const { return completed_; }
  void take_tracks() {
    for (std::uint32_t number = 0; number < lines_.all.size(); ++number) {
      Line& line = lines_.all[number];
      Track track{line.rank, std::move(line.name), {}};
      const auto& events = scenario_.ranks[static_cast<std::size_t>(line.rank)].events;
      for (const std::uint32_t event : line.events)
        if (span({line.rank, event}).entered != kNever && (line.stream || !model::is_enqueued(events[event])))
          track.events.push_back(event);
      Track behind = line.stream || !hands_[number].stands ? Track{} : enqueued_behind(number);
      if (!behind.events.empty() && track.name.empty()) track.name = "calls";
      if (!track.events.empty() || !line.stream) course_.tracks.push_back(std::move(track));
      if (!behind.events.empty()) course_.tracks.push_back(std::move(behind));
      line = {};
    }
  }

  // What was enqueued behind the call in which a thread stands: seen, and not performed.
  Track enqueued_behind(std::uint32_t number) {
    const Line& line = lines_.all[number];
    Track behind{line.rank, "enqueued behind", {}};
    const auto& events = scenario_.ranks[static_cast<std::size_t>(line.rank)].events;
    std::int64_t time = hands_[number].ready;
    for (std::size_t place = hands_[number].place + 1; place < line.events.size(); ++place) {
      const EventRef ref{line.rank, line.events[place]};
      const Event& event = events[ref.index];
      if (event.state == EventState::unknown || model::is_enqueued(event)) continue;
      const std::int64_t from = std::max(time, recorded_.at(ref.rank, ref.index));
      time = from + (recorded_.there() ? kShortest_ns : kStep_ns);
      span(ref) = {from, from, time};
      behind.events.push_back(ref.index);
      course_.end = std::max(course_.end, time);
    }
    return behind;
  }

 private:
  // Where a line is.
  struct Hand {
    std::size_t place = 0;  // of the next call, or launch
    std::int64_t time = 0;
    bool begun = false, awake = false, stands = false, forced = false;
    std::int64_t ready = 0;  // when what was waited for so far was there
    std::vector<Need> needs;
  };
  struct Rank {
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> begun;  // by request: its nonblocking calls
    std::vector<std::uint32_t> grouped;                                   // messages that an open group holds
    int depth = 0;
  };

  void wake(std::uint32_t line) {
    if (std::exchange(hands_[line].awake, true)) return;
    awake_.push_back(line);
  }
  Span& span(EventRef ref) { return course_.spans[static_cast<std::size_t>(ref.rank)][ref.index]; }

  std::size_t size_of(const Line& line) const { return line.stream ? line.launches.size() : line.events.size(); }
  std::pair<const std::uint32_t*, std::size_t> item(const Line& line, std::size_t place) const {
    if (!line.stream) return {&line.events[place], 1};
    const Launch& launch = line.launches[place];
    return {&line.events[launch.first], launch.count};
  }

  void advance(std::uint32_t number) {
    const Line& line = lines_.all[number];
    Hand& hand = hands_[number];
    while (!hand.stands && hand.place < size_of(line)) {
      if (!hand.begun && !begin(number)) return;
      if (hand.stands) return;
      if (!all_there(number)) return;
      leave(number);
    }
  }

  // False while it is not on its stream yet.
  bool begin(std::uint32_t number) {
    const Line& line = lines_.all[number];
    Hand& hand = hands_[number];
    std::int64_t from = hand.time;
    if (line.stream) {
      const std::uint64_t key = key_of({line.rank, line.launches[hand.place].launcher});
      const auto found = launched_.find(key);
      if (found == launched_.end()) {
        waiters_[key_of(Need{Need::launcher, key})].push_back(number);
        return false;
      }
      from = std::max(from, found->second);
    }
    hand.begun = true;
    hand.needs.clear();
    const auto [events, count] = item(line, hand.place);
    if (!line.stream) from = std::max(from, recorded_.at(line.rank, *events));
    hand.ready = from;
    for (std::size_t i = 0; i < count; ++i) {
      const EventRef ref{line.rank, events[i]};
      const Event& event = at(scenario_, ref);
      if (!line.stream && model::is_enqueued(event)) continue;  // the stream's
      Span& own = span(ref);
      own.entered = own.began = from;
      arrive(ref, from);
      add_needs(line, ref, event, hand.needs);
      const bool stays = line.stream ? std::binary_search(line.unperformed.begin(), line.unperformed.end(), ref.index)
                                     : ref.index == line.stands;
      hand.stands = hand.stands || stays;
    }
    return true;
  }

  void arrive(EventRef ref, std::int64_t time) {
    for (const Side& side : meetings_.of(ref)) {
      met_[side.meeting] = std::max(met_[side.meeting], time);
      if (--missing_[side.meeting] == 0) ring(key_of(Need{Need::meeting, side.meeting}));
    }
  }
  static std::uint64_t key_of(const Need& need) { return (static_cast<std::uint64_t>(need.kind) << 62) | need.what; }
  static std::uint64_t key_of(EventRef ref) { return course::key_of(ref); }
  void ring(std::uint64_t key) {
    const auto found = waiters_.find(key);
    if (found == waiters_.end()) return;
    for (const std::uint32_t line : found->second) wake(line);
    waiters_.erase(found);
  }

  // What the call itself needs of others before it is over: a collective all members, a receive its send, and a send,
  // which may be synchronous, its receive.
  void add_own_needs(EventRef ref, std::vector<Need>& needs) {
    const bool buffered = model::is_buffered_send(at(scenario_, ref).op);
    for (const Side& side : meetings_.of(ref))
      if (!buffered || side.part != Part::sender) needs.push_back({Need::meeting, side.meeting});
  }

  void add_needs(const Line& line, EventRef ref, const Event& event, std::vector<Need>& needs) {
    Rank& rank = requests_[static_cast<std::size_t>(ref.rank)];
    const OpKind kind = kind_of(event.op);
    if (event.op == Op::group_start) ++rank.depth;
    const bool message = kind == OpKind::send || kind == OpKind::recv;
    if (!line.stream && rank.depth > 0 && message && form_of(event.op) == OpForm::blocking) {
      rank.grouped.push_back(ref.index);
    } else if (kind == OpKind::start) {
      for (const std::uint32_t request : model::requests_of(event)) rank.begun[request].push_back(ref.index);
    } else if (form_of(event.op) == OpForm::nonblocking && event.request != kNoRequest && kind != OpKind::test) {
      rank.begun[event.request].push_back(ref.index);
    } else {
      add_own_needs(ref, needs);
    }
    if (kind == OpKind::wait || (kind == OpKind::test && model::poll_succeeded(event)))
      if (!model::any_suffices(event))
        for (const std::uint32_t request : model::completed_requests_of(event)) complete(rank, request, ref, needs);
    if (event.op == Op::group_end && rank.depth > 0 && --rank.depth == 0) {
      for (const std::uint32_t held : rank.grouped) finish(ref, {ref.rank, held}, needs);
      rank.grouped.clear();
    }
    if (kind == OpKind::device) add_tickets(ref, needs);
  }
  void complete(Rank& rank, std::uint32_t request, EventRef by, std::vector<Need>& needs) {
    const auto found = rank.begun.find(request);
    if (found == rank.begun.end()) return;
    for (const std::uint32_t begun : found->second) finish(by, {by.rank, begun}, needs);
    rank.begun.erase(found);
  }
  void finish(EventRef by, EventRef call, std::vector<Need>& needs) {
    add_own_needs(call, needs);
    if (!meetings_.of(call).empty()) completed_.emplace(key_of(call), by.index);
  }
  void add_tickets(EventRef ref, std::vector<Need>& needs) const {
    const auto& awaited = lines_.awaited;
    auto found = std::lower_bound(awaited.begin(), awaited.end(), ref,
                                  [](const Lines::Awaited& one, const EventRef& wanted) { return one.by < wanted; });
    for (; found != awaited.end() && found->by == ref; ++found)
      needs.push_back({Need::ticket, found->ticket.line, found->ticket.launches});
  }

  // When it was there, or nothing.
  std::optional<std::int64_t> there(const Need& need) {
    switch (need.kind) {
      case Need::meeting:
        if (missing_[need.what] != 0) return std::nullopt;
        return met_[need.what];
      case Need::ticket: {
        const Hand& hand = hands_[need.what];
        if (hand.place < need.launches) return std::nullopt;
        const Line& line = lines_.all[need.what];
        return need.launches == 0 ? 0 : span({line.rank, *item(line, need.launches - 1).first}).left;
      }
      default: return 0;
    }
  }

  bool all_there(std::uint32_t number) {
    Hand& hand = hands_[number];
    while (!hand.needs.empty()) {
      const Need& need = hand.needs.back();
      const auto time = there(need);
      if (!time && !hand.forced) {
        waiters_[key_of(need)].push_back(number);
        return false;
      }
      if (time) hand.ready = std::max(hand.ready, *time);
      hand.needs.pop_back();
    }
    return true;
  }

  void leave(std::uint32_t number) {
    const Line& line = lines_.all[number];
    Hand& hand = hands_[number];
    const auto [events, count] = item(line, hand.place);
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    if (recorded_.there() && !line.stream && hand.place + 1 < line.events.size()) {
      const std::int64_t then = recorded_.at(line.rank, line.events[hand.place + 1]);
      if (then > hand.ready) next = then;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const EventRef ref{line.rank, events[i]};
      const Event& event = at(scenario_, ref);
      if (!line.stream && model::is_enqueued(event)) {
        launch(ref, hand.ready);
        continue;
      }
      Span& own = span(ref);
      own.began = hand.ready;
      own.left = std::min(next, hand.ready + length_of(event));
      hand.time = std::max(hand.time, own.left);
      if (event.op == Op::group_end) launch(ref, own.left);
    }
    ++hand.place;
    hand.begun = hand.forced = false;
    if (line.stream) ring(key_of(Need{Need::ticket, number}));
  }
  std::int64_t length_of(const Event& event) const {
    if (!recorded_.there()) return kStep_ns;
    const bool at_once = form_of(event.op) == OpForm::nonblocking || kind_of(event.op) == OpKind::host;
    return at_once ? kShortest_ns : kLongest_ns;
  }
  void launch(EventRef launcher, std::int64_t time) {
    const std::uint64_t key = key_of(launcher);
    launched_[key] = time;
    ring(key_of(Need{Need::launcher, key}));
  }

  // The model left calls that wait here still: by the record, or by rules that only it has. They are left now.
  bool force() {
    bool any = false;
    for (std::uint32_t number = 0; number < hands_.size(); ++number) {
      Hand& hand = hands_[number];
      if (!hand.begun || hand.stands || hand.place >= size_of(lines_.all[number])) continue;
      hand.forced = any = true;
      wake(number);
    }
    return any;
  }

  const Scenario& scenario_;
  Recorded recorded_;
  Meetings meetings_;
  Lines lines_;
  Course& course_;
  std::vector<std::uint32_t> missing_;  // by meeting
  std::vector<std::int64_t> met_;
  std::vector<Hand> hands_;
  std::vector<Rank> requests_;
  std::vector<std::uint32_t> awake_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> waiters_;
  std::unordered_map<std::uint64_t, std::int64_t> launched_;
  Completions completed_;
};

void add_markers(const Diagnosis& diagnosis, Course& course) {
  constexpr std::size_t kMost = 64;  // events of one finding
  for (const Finding& finding : diagnosis.findings) {
    Marker marker{{}, std::string(name_of(finding.kind)), finding.text, {}};
    for (const std::string& sentence : finding.evidence)
      marker.evidence += (marker.evidence.empty() ? "" : "; ") + sentence;
    std::vector<EventRef> events = finding.events;
    if (finding.call) events.insert(events.begin(), *finding.call);
    for (const EventRef at : events) {
      const bool named = std::find(marker.events.begin(), marker.events.end(), at) != marker.events.end();
      const bool there = at.index < course.spans[static_cast<std::size_t>(at.rank)].size();
      if (there && !named && marker.events.size() < kMost) marker.events.push_back(at);
    }
    course.markers.push_back(std::move(marker));
  }
}

}  // namespace

Course course_of(const Scenario& scenario, const Diagnosis& diagnosis) {
  Course course;
  {
    const model::Run run = model::run(scenario, {std::nullopt, true});
    Clockwork clockwork(scenario, run, course);
    clockwork.perform();
    draw_arrows(scenario, clockwork.meetings(), clockwork.completed(), course);
    clockwork.take_tracks();
  }
  add_markers(diagnosis, course);
  return course;
}

}  // namespace petri::cli
