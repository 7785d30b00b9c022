#include "harness/diagnose/channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/part_calls.hpp"
#include "harness/diagnose/rounds.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using model::Atom;

constexpr std::size_t kLeastPairs = 2;
constexpr std::size_t kLeastSources = 3;

using Channel = std::pair<std::int32_t, std::int32_t>;  // sender and receiver
using Counts = std::map<Channel, std::size_t>;

// What the absentee of a collective waits for.
struct Absence {
  std::int32_t rank = 0;
  const model::Gathering* gathering = nullptr;
  const model::Wait* wait = nullptr;
};

class Teller {
 public:
  Teller(const Scenario& scenario, const model::Run& run, const Absence& absence)
      : scenario_(scenario),
        run_(run),
        rank_(absence.rank),
        gathering_(*absence.gathering),
        atoms_(absence.wait->atoms),
        posted_(atoms_.front().posted) {}

  std::optional<Testimony> tell() const {
    const Atom& first = atoms_.front();
    const auto is_like_first = [&](const Atom& atom) {
      const bool is_message = atom.kind == Atom::message || atom.kind == Atom::receiver;
      return is_message && atom.comm == first.comm && atom.tag == first.tag;
    };
    if (first.tag < 0 || !std::all_of(atoms_.begin(), atoms_.end(), is_like_first)) return std::nullopt;
    if (others_are_on_their_way()) return std::nullopt;
    return first.peer == kAny ? of_any_source() : of_partners();
  }

 private:
  bool is_member(std::int32_t rank) const { return run_.gatherings.member_index(gathering_, rank) >= 0; }
  bool is_such(EventRef sent) const {
    const Event& event = at(scenario_, sent);
    return event.comm == atoms_.front().comm && model::send_half(event).tag == atoms_.front().tag;
  }
  bool others_are_on_their_way() const {
    return std::any_of(run_.unmatched_sends.begin(), run_.unmatched_sends.end(),
                       [&](EventRef sent) { return sent.rank != rank_ && is_member(sent.rank) && is_such(sent); });
  }

  Counts counts() const {
    Counts counts;
    for (const model::Message& message : run_.messages)
      if (is_such(message.send) && is_member(message.send.rank) && is_member(message.recv.rank))
        ++counts[{message.send.rank, message.recv.rank}];
    return counts;
  }
  static std::optional<std::size_t> common(const Counts& counts) {
    if (counts.empty()) return std::nullopt;
    const std::size_t each = counts.begin()->second;
    const bool alike = std::all_of(counts.begin(), counts.end(), [&](const auto& one) { return one.second == each; });
    return alike ? std::optional(each) : std::nullopt;
  }

  std::optional<Testimony> of_partners() const {
    Counts others = counts(), own;
    std::set<std::int32_t> partners;
    for (const Atom& atom : atoms_) {
      const Channel channel = atom.kind == Atom::message ? Channel(atom.peer, rank_) : Channel(rank_, atom.peer);
      const auto of_pair = others.extract(channel);
      own.emplace(channel, of_pair.empty() ? 0 : of_pair.mapped());
      partners.insert(atom.peer);
    }
    const auto each = common(others), own_each = common(own);
    if (!each || !own_each || others.size() < kLeastPairs) return std::nullopt;
    if (*own_each == *each) return went_on(*each, "each other pair of ranks exchanged");
    if (*own_each + 1 == *each && partners.size() == 1)
      return one_left_out(*partners.begin(), *each, "each other pair of ranks exchanged");
    return std::nullopt;
  }

  std::optional<Testimony> of_any_source() const {
    Counts from_others;
    for (const std::int32_t member : run_.gatherings.members(gathering_))
      if (member != rank_) from_others[{member, rank_}] = 0;
    for (const auto& [channel, count] : counts()) {
      if (channel.first == rank_) return std::nullopt;
      if (channel.second == rank_) from_others[channel] = count;
    }
    if (from_others.size() < kLeastSources) return std::nullopt;
    if (const auto each = common(from_others); each && *each > 0) return went_on(*each, "each other rank sent it");
    const auto least = std::min_element(from_others.begin(), from_others.end(),
                                        [](const auto& one, const auto& other) { return one.second < other.second; });
    const std::int32_t odd = least->first.first;
    const std::size_t count = least->second;
    from_others.erase(least);
    const auto each = common(from_others);
    return each && *each == count + 1 ? one_left_out(odd, *each, "each other rank sent it") : std::nullopt;
  }

  std::string posted_text() const { return event_text(scenario_, posted_); }
  static std::string messages_text(std::size_t count) {
    return count == 1 ? "one such message" : fmt::format("{} such messages", count);
  }

  std::optional<Testimony> went_on(std::size_t each, std::string_view others) const {
    Testimony told =
        explained({rank_}, {posted_},
                  fmt::format("Rank {} came to {} ({}), which nobody answers, and not to the collective of all others.",
                              rank_, posted_text(), place_text(at(scenario_, posted_))));
    told.expected = "the collective in which all others are";
    told.actual = fmt::format("rank {}: {}", rank_, posted_text());
    told.evidence = {fmt::format("{} {}, and nobody more", others, messages_text(each))};
    return told;
  }

  std::optional<Testimony> one_left_out(std::int32_t odd, std::size_t each, std::string_view others) const {
    const EventRef place{odd, run_.index[static_cast<std::size_t>(odd)]};
    Testimony told =
        explained({odd}, {place, posted_},
                  fmt::format("Rank {} left out a call that rank {} waits for in {}.", odd, rank_, posted_text()));
    told.expected = fmt::format("its part in {} of rank {}", posted_text(), rank_);
    told.actual = fmt::format("rank {}: {}", odd, event_text(scenario_, place));
    told.evidence = {fmt::format("{} {}", others, messages_text(each))};
    return told;
  }

  const Scenario& scenario_;
  const model::Run& run_;
  std::int32_t rank_;
  const model::Gathering& gathering_;
  const std::vector<Atom>& atoms_;
  EventRef posted_;
};

// What a rank waits in, where that is one thing.
const model::Wait* only_wait(const model::Run& run, std::int32_t rank) {
  const model::Wait* found = nullptr;
  for (const model::Wait& wait : run.waits) {
    if (wait.rank != rank) continue;
    if (found != nullptr) return nullptr;
    found = &wait;
  }
  return found;
}

}  // namespace

std::optional<Testimony> uneven_channel(const Scenario& scenario, const model::Run& run,
                                        const std::vector<std::int32_t>& suspects) {
  const std::vector<bool> known = with_one_known_order(scenario, run);
  if (std::find(known.begin(), known.end(), false) != known.end()) return std::nullopt;
  for (const model::Gathering& gathering : run.gatherings.all()) {
    const auto absentee = only_absentee(run, gathering);
    if (!absentee || !std::binary_search(suspects.begin(), suspects.end(), *absentee)) continue;
    const model::Wait* wait = only_wait(run, *absentee);
    if (wait == nullptr || wait->atoms.empty() || (wait->any && wait->atoms.size() > 1)) continue;
    if (auto told = Teller(scenario, run, {*absentee, &gathering, wait}).tell()) return told;
  }
  return std::nullopt;
}

}  // namespace petri::diagnosis
