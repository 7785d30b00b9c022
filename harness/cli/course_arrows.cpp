#include "harness/cli/course_arrows.hpp"

#include <algorithm>
#include <vector>

namespace petri::cli::course {
namespace {

class Arrows {
 public:
  Arrows(const Scenario& scenario, const Meetings& meetings, const Completions& completed, Course& course)
      : scenario_(scenario), meetings_(meetings), completed_(completed), course_(course) {}

  void draw() {
    std::vector<Side> sides = meetings_.all();
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
      return a.meeting != b.meeting ? a.meeting < b.meeting : a.at < b.at;
    });
    for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
      while (last < sides.size() && sides[last].meeting == sides[first].meeting) ++last;
      std::vector<Side> parties(sides.begin() + static_cast<std::ptrdiff_t>(first),
                                sides.begin() + static_cast<std::ptrdiff_t>(last));
      std::erase_if(parties, [&](const Side& side) { return span(side.at).entered == kNever; });
      if (parties.size() < 2) continue;
      if (parties.front().meeting < meetings_.collectives())
        join(parties);
      else
        deliver(parties);
    }
    std::sort(course_.arrows.begin(), course_.arrows.end(),
              [](const ArrowEnd& a, const ArrowEnd& b) { return a.at != b.at ? a.at < b.at : a.number < b.number; });
  }

 private:
  Span& span(EventRef ref) { return course_.spans[static_cast<std::size_t>(ref.rank)][ref.index]; }

  // True where an arrow from one to the other does not point backwards, after the first is drawn shorter if need be.
  bool fits(EventRef from, EventRef to) {
    Span& one = span(from);
    const Span& other = span(to);
    if (one.began == other.began) return true;
    if (other.began < one.began || one.left == kNever) return false;
    one.left = std::min(one.left, other.began);
    return true;
  }

  void join(std::vector<Side>& parties) {
    std::stable_sort(parties.begin(), parties.end(),
                     [&](const Side& a, const Side& b) { return span(a.at).began < span(b.at).began; });
    std::vector<EventRef> joined;
    for (const Side& party : parties)
      if (joined.empty() || fits(joined.back(), party.at)) joined.push_back(party.at);
    if (joined.size() < 2) return;
    for (const EventRef at : joined) course_.arrows.push_back({at, number_});
    ++number_;
  }

  void deliver(const std::vector<Side>& parties) {
    const bool sends_first = parties.front().part == Part::sender;
    const EventRef from = parties[sends_first ? 0 : 1].at;
    EventRef to = parties[sends_first ? 1 : 0].at;
    const Span& sent = span(from);
    if (span(to).began < sent.left || sent.left == kNever)
      if (const auto wait = completed_.find(key_of(to)); wait != completed_.end() && span(to).began != sent.began)
        to.index = wait->second;
    if (from == to || span(to).entered == kNever) return;
    put_behind(from, to);
    if (!fits(from, to)) return;
    course_.arrows.push_back({from, number_});
    course_.arrows.push_back({to, number_});
    ++number_;
  }

  // A receive that begins with its send is drawn behind it: half of both is left.
  void put_behind(EventRef from, EventRef to) {
    Span& sent = span(from);
    Span& received = span(to);
    const bool only_receives =
        kind_of(at(scenario_, to).op) == OpKind::recv || kind_of(at(scenario_, to).op) == OpKind::wait;
    if (sent.began != received.began || !only_receives || sent.left == kNever || received.left == kNever) return;
    received.began += (received.left - received.began) / 2;
    sent.left = std::min(sent.left, received.began);
  }

  const Scenario& scenario_;
  const Meetings& meetings_;
  const Completions& completed_;
  Course& course_;
  std::uint64_t number_ = 1;
};

}  // namespace

void draw_arrows(const Scenario& scenario, const Meetings& meetings, const Completions& completed, Course& course) {
  Arrows(scenario, meetings, completed, course).draw();
}

}  // namespace petri::cli::course
