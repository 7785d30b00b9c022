#include "harness/compare/locate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace petri::compare {
namespace {

// When a rank made a call, without clocks: by step, microbatch and position.
using Moment = std::tuple<std::int32_t, std::int32_t, std::uint32_t>;

// Calls that are matched by their position on a communicator, and apart from them the others: how many messages a rank
// sends is its own matter.
using Sequence = std::pair<std::string, bool>;

struct Paired {
  CallPair pair;
  Sequence sequence;
  std::uint64_t position = 0;
  Moment moment;
};

enum class Digests : std::uint8_t { missing, same, differ };

Digests compared(const std::optional<Summary>& one, const std::optional<Summary>& other) {
  if (!one || !other || one->digest.empty() || other->digest.empty()) return Digests::missing;
  const auto algorithm = [](const std::string& digest) { return std::string_view(digest).substr(0, digest.find(':')); };
  if (algorithm(one->digest) != algorithm(other->digest)) return Digests::missing;
  return one->digest == other->digest ? Digests::same : Digests::differ;
}

bool same_call(const Event& one, const Event& other) {
  return one.op == other.op && one.count == other.count && one.dtype == other.dtype && one.reduce == other.reduce &&
         one.root == other.root && one.peer == other.peer && one.tag == other.tag;
}

class Locator {
 public:
  Locator(const Scenario& one, const Scenario& other, LocatedDifference& found)
      : one_(one), other_(other), found_(found) {}

  void find() {
    for (std::int32_t rank = 0; rank < one_.world(); ++rank) pair_calls(rank);
    const Paired* first = nullptr;
    for (const Paired& paired : pairs_) {
      const Digests in = in_of(paired), out = out_of(paired);
      for (const Digests digests : {in, out}) {
        found_.compared += digests != Digests::missing ? 1 : 0;
        found_.differing += digests == Digests::differ ? 1 : 0;
      }
      const bool differs = in == Digests::differ || out == Digests::differ;
      if (differs && (first == nullptr || paired.moment < first->moment)) first = &paired;
    }
    if (first != nullptr) found_.first = located(*first);
  }

 private:
  using Calls = std::map<Sequence, std::vector<std::uint32_t>>;

  static Calls calls_of(const Scenario& scenario, std::int32_t rank) {
    Calls calls;
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      // A recording has them, a scenario that a person wrote leaves them out.
      if (events[i].op == Op::init || events[i].op == Op::finalize) continue;
      calls[{scenario.comm_of(events[i]).name, is_positional(events[i].op)}].push_back(i);
    }
    return calls;
  }

  // Steps and microbatches hold until the next one.
  static std::vector<Moment> moments_of(const std::vector<Event>& events) {
    std::vector<Moment> moments;
    std::int32_t step = -1, microbatch = -1;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (events[i].step != kUnset && events[i].step != step) {
        step = events[i].step;
        microbatch = -1;
      }
      if (events[i].microbatch != kUnset) microbatch = events[i].microbatch;
      moments.emplace_back(step, microbatch, i);
    }
    return moments;
  }

  void pair_calls(std::int32_t rank) {
    const Calls calls = calls_of(one_, rank);
    Calls other_calls = calls_of(other_, rank);
    const std::vector<Moment> moments = moments_of(one_.ranks[static_cast<std::size_t>(rank)].events);
    for (const auto& [sequence, mine] : calls) {
      const std::vector<std::uint32_t>& theirs = other_calls[sequence];
      for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
        if (i < mine.size() && i < theirs.size()) {
          const CallPair pair{{rank, mine[i]}, {rank, theirs[i]}};
          if (same_call(at(one_, pair.one), at(other_, pair.other))) {
            pairs_.push_back({pair, sequence, i, moments[mine[i]]});
            continue;
          }
        }
        note_other_call(rank, mine, theirs, i, moments);
        break;
      }
    }
  }

  void note_other_call(std::int32_t rank, const std::vector<std::uint32_t>& mine,
                       const std::vector<std::uint32_t>& theirs, std::size_t i, const std::vector<Moment>& moments) {
    const auto place = [&](const Scenario& scenario, const std::vector<std::uint32_t>& calls) {
      const std::size_t end = scenario.ranks[static_cast<std::size_t>(rank)].events.size();
      return EventRef{rank, i < calls.size() ? calls[i] : static_cast<std::uint32_t>(end)};
    };
    const CallPair pair{place(one_, mine), place(other_, theirs)};
    const Moment moment = pair.one.index < moments.size()
                              ? moments[pair.one.index]
                              : Moment{std::numeric_limits<std::int32_t>::max(), 0, pair.one.index};
    if (found_.other_call && !(moment < other_moment_)) return;
    found_.other_call = pair;
    other_moment_ = moment;
  }

  Digests in_of(const Paired& paired) const {
    return compared(at(one_, paired.pair.one).extras.in(), at(other_, paired.pair.other).extras.in());
  }
  Digests out_of(const Paired& paired) const {
    return compared(at(one_, paired.pair.one).extras.out(), at(other_, paired.pair.other).extras.out());
  }

  // All ranks' parts of a collective; a message is one rank's call alone.
  Located located(const Paired& first) const {
    Located located;
    located.position = first.position;
    const bool together = first.sequence.second;
    bool all_known = true;
    for (const Paired& paired : pairs_) {
      const bool part = paired.sequence == first.sequence && paired.position == first.position &&
                        (together || paired.pair.one == first.pair.one);
      if (!part) continue;
      located.calls.push_back(paired.pair);
      const std::int32_t rank = paired.pair.one.rank;
      if (in_of(paired) == Digests::differ) located.input_ranks.push_back(rank);
      if (out_of(paired) == Digests::differ) located.result_ranks.push_back(rank);
      all_known = all_known && in_of(paired) != Digests::missing;
    }
    if (together) all_known = all_known && located.calls.size() == one_.comm_of(at(one_, first.pair.one)).ranks.size();
    located.inputs = !located.input_ranks.empty() ? Inputs::differ : all_known ? Inputs::same : Inputs::unknown;
    return located;
  }

  const Scenario& one_;
  const Scenario& other_;
  std::vector<Paired> pairs_;
  LocatedDifference& found_;
  Moment other_moment_;
};

}  // namespace

LocatedDifference locate(const Scenario& one, const Scenario& other) {
  if (one.world() != other.world())
    throw std::invalid_argument(
        fmt::format("{} and {} ranks are no two recordings of one job", one.world(), other.world()));
  LocatedDifference found;
  Locator(one, other, found).find();
  return found;
}

}  // namespace petri::compare
