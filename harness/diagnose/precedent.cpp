#include "harness/diagnose/precedent.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

namespace petri::diagnosis {
namespace {

constexpr std::size_t kLeastPrecedents = 2;
constexpr std::size_t kLongestContext = 256;
constexpr std::uint64_t kStart = 0;      // before the first call of a rank
constexpr std::uint64_t kLostStart = 1;  // the same where it is lost, and by rank

std::uint64_t pair_of(std::uint64_t before, std::uint64_t call) {
  const std::array both{before, call};
  return XXH3_64bits(both.data(), sizeof both);
}

}  // namespace

// Communicators of one kind have one size; partners and members differ from rank to rank.
Precedents::Token Precedents::token(const Event& event) const {
  const Communicator& comm = scenario_.comm_of(event);
  const std::array<std::uint64_t, 7> parts{
      static_cast<std::uint64_t>(event.op),      static_cast<std::uint64_t>(event.dtype),
      static_cast<std::uint64_t>(event.reduce),  static_cast<std::uint64_t>(event.count),
      static_cast<std::uint64_t>(tag_of(event)), event.site,
      comm.ranks.size() + comm.remote.size()};
  return XXH3_64bits(parts.data(), sizeof parts);
}

// Where the first calls of a rank are lost, what comes before those that are kept is like nothing else.
Precedents::Token Precedents::start_of(std::int32_t rank) const {
  return scenario_.ranks[static_cast<std::size_t>(rank)].end.dropped == 0 ? kStart
                                                                          : kLostStart + static_cast<Token>(rank);
}

Precedents::Token Precedents::token_before(EventRef ref) const {
  return ref.index == 0 ? start_of(ref.rank) : token(at(scenario_, {ref.rank, ref.index - 1}));
}

void Precedents::count() const {
  if (std::exchange(counted_, true)) return;
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
    Token before = start_of(rank);
    for (const Event& event : scenario_.ranks[static_cast<std::size_t>(rank)].events) {
      const Token call = token(event);
      ++calls_[call];
      ++pairs_[pair_of(before, call)];
      before = call;
    }
  }
}

std::size_t Precedents::elsewhere(const std::unordered_map<Token, std::uint32_t>& counts, Token wanted,
                                  std::size_t here) const {
  const auto found = counts.find(wanted);
  return found == counts.end() ? 0 : found->second - std::min<std::size_t>(found->second, here);
}

bool Precedents::lacks_precedent(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const {
  count();
  const auto pair_at = [&](EventRef ref) { return pair_of(token_before(ref), token(at(scenario_, ref))); };
  const auto are_one_pair = [&](const std::vector<EventRef>& side) {
    return !side.empty() &&
           std::all_of(side.begin(), side.end(), [&](EventRef ref) { return pair_at(ref) == pair_at(side.front()); });
  };
  if (!are_one_pair(one) || !are_one_pair(other)) return false;
  return token_before(one.front()) == token_before(other.front()) &&
         elsewhere(pairs_, pair_at(one.front()), one.size()) == 0 &&
         elsewhere(pairs_, pair_at(other.front()), other.size()) >= kLeastPrecedents;
}

bool Precedents::was_made_before(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const {
  const Token call = token(at(scenario_, one.front()));
  std::size_t of_sides = 0, before = 0;
  for (const auto* side : {&one, &other}) {
    for (const EventRef here : *side) {
      const auto& events = scenario_.ranks[static_cast<std::size_t>(here.rank)].events;
      for (std::uint32_t index = 0; index < events.size(); ++index) {
        if (token(events[index]) != call) continue;
        ++of_sides;
        if (index < here.index) ++before;
      }
    }
  }
  return before != 0 || elsewhere(calls_, call, of_sides) != 0;
}

bool Precedents::is_odd(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const {
  if (!lacks_precedent(one, other)) return false;
  const EventRef odd = one.front();
  const EventRef usual = other.front();
  const auto are_alike_behind = [&](EventRef first, std::uint32_t more, EventRef second, std::uint32_t behind) {
    first.index += more;
    second.index += behind;
    const auto exists = [&](EventRef ref) {
      return ref.index < scenario_.ranks[static_cast<std::size_t>(ref.rank)].events.size();
    };
    return exists(first) && exists(second) && are_alike(first, second);
  };
  // Where the usual call is followed by such a one, too, they are swapped, or the usual one is one too many.
  const bool may_be_extra = are_alike_behind(usual, 1, odd, 0) && !are_alike_behind(usual, 2, odd, 2);
  return (are_alike_behind(odd, 1, usual, 0) && !may_be_extra) || was_made_before(one, other);
}

std::array<std::size_t, 2> Precedents::contexts(EventRef call, EventRef other) const {
  const auto& before = scenario_.ranks[static_cast<std::size_t>(call.rank)].events;
  const Token wanted = token(at(scenario_, call));
  std::array<std::size_t, 2> longest{0, 0};
  const auto keep = [&](std::size_t length) {
    if (length > longest[1]) longest[1] = length;
    if (longest[1] > longest[0]) std::swap(longest[0], longest[1]);
  };
  std::array<std::array<std::size_t, 2>, 2> of_sides{};
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
    const auto& events = scenario_.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const EventRef here{rank, index};
      if (here == call || here == other || token(events[index]) != wanted) continue;
      const std::size_t most = std::min<std::size_t>({index, call.index, kLongestContext});
      std::size_t length = 0;
      while (length < most && token(events[index - 1 - length]) == token(before[call.index - 1 - length])) ++length;
      if (rank != call.rank && rank != other.rank) {
        keep(length);
        continue;
      }
      auto& side = of_sides[rank == call.rank ? 0 : 1];
      if (length > side[1]) side[1] = length;
      if (side[1] > side[0]) std::swap(side[0], side[1]);
    }
  }
  // What both did is one place.
  for (std::size_t nth = 0; nth < 2; ++nth) keep(std::max(of_sides[0][nth], of_sides[1][nth]));
  return longest;
}

bool Precedents::is_less_usual(EventRef odd, EventRef usual) const {
  return contexts(usual, odd)[1] > contexts(odd, usual)[0];
}

Precedents::Following Precedents::following(const std::vector<EventRef>& calls) const {
  Following found;
  const EventRef first = calls.front();
  if (first.index == 0) return found;
  const Token before = token_before(first), call = token(at(scenario_, first));
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
    const auto& events = scenario_.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 1; index < events.size(); ++index) {
      if (token(events[index - 1]) != before) continue;
      if (std::find(calls.begin(), calls.end(), EventRef{rank, index}) != calls.end()) continue;
      ++(token(events[index]) == call ? found.alike : found.others);
    }
  }
  return found;
}

const Kin& Precedents::kin(const model::Run& run) const {
  if (std::exchange(kin_of_, &run) != &run) kin_.emplace(scenario_, run);
  return *kin_;
}

bool Precedents::are_alike(EventRef one, EventRef other) const {
  return token(at(scenario_, one)) == token(at(scenario_, other));
}

std::optional<EventRef> Precedents::instead_of(EventRef usual, std::int32_t rank, std::uint32_t last) const {
  const auto& events = scenario_.ranks[static_cast<std::size_t>(rank)].events;
  if (events.empty()) return std::nullopt;
  const Token before = token_before(usual);
  const auto count_until = [&](EventRef ref) {
    std::size_t count = 0;
    for (std::uint32_t index = 0; index <= ref.index; ++index) count += token_before({ref.rank, index}) == before;
    return count;
  };
  for (auto index = std::min<std::uint32_t>(last, static_cast<std::uint32_t>(events.size() - 1));; --index) {
    if (token_before({rank, index}) == before) {
      const EventRef instead{rank, index};
      return count_until(instead) == count_until(usual) ? std::optional(instead) : std::nullopt;
    }
    if (index == 0) return std::nullopt;
  }
}

}  // namespace petri::diagnosis
