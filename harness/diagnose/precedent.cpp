#include "harness/diagnose/precedent.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

namespace petri::diagnosis {
namespace {

constexpr std::size_t kLeastPrecedents = 2;
constexpr std::size_t kLongestContext = 256;
constexpr std::uint64_t kStart = 0;  // before the first call of a rank

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

Precedents::Token Precedents::token_before(EventRef ref) const {
  return ref.index == 0 ? kStart : token(at(scenario_, {ref.rank, ref.index - 1}));
}

void Precedents::count() const {
  if (std::exchange(counted_, true)) return;
  for (const RankTrace& rank : scenario_.ranks) {
    Token before = kStart;
    for (const Event& event : rank.events) {
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

bool Precedents::is_odd(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const {
  if (!lacks_precedent(one, other)) return false;
  const EventRef odd = one.front();
  const auto& events = scenario_.ranks[static_cast<std::size_t>(odd.rank)].events;
  const bool goes_on = odd.index + 1 < events.size() && are_alike({odd.rank, odd.index + 1}, other.front());
  return goes_on || elsewhere(calls_, token(at(scenario_, odd)), one.size()) != 0;
}

std::array<std::size_t, 2> Precedents::contexts(EventRef call, EventRef other) const {
  const auto& before = scenario_.ranks[static_cast<std::size_t>(call.rank)].events;
  const Token wanted = token(at(scenario_, call));
  std::array<std::size_t, 2> longest{0, 0};
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
    const auto& events = scenario_.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const EventRef here{rank, index};
      if (here == call || here == other || token(events[index]) != wanted) continue;
      const std::size_t most = std::min<std::size_t>({index, call.index, kLongestContext});
      std::size_t length = 0;
      while (length < most && token(events[index - 1 - length]) == token(before[call.index - 1 - length])) ++length;
      if (length > longest[1]) longest[1] = length;
      if (longest[1] > longest[0]) std::swap(longest[0], longest[1]);
    }
  }
  return longest;
}

bool Precedents::is_less_usual(EventRef odd, EventRef usual) const {
  return contexts(usual, odd)[1] > contexts(odd, usual)[0];
}

bool Precedents::is_made_elsewhere(EventRef call) const {
  count();
  return elsewhere(calls_, token(at(scenario_, call)), 1) != 0;
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
