#include "harness/diagnose/precedent.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <utility>

namespace petri::diagnosis {
namespace {

constexpr std::size_t kLeastPrecedents = 2;
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

std::size_t Precedents::places(const std::unordered_map<Token, std::uint32_t>& counts, Token wanted) const {
  const auto found = counts.find(wanted);
  return found == counts.end() ? 0 : found->second;
}

bool Precedents::is_odd(const std::vector<EventRef>& one, const std::vector<EventRef>& other) const {
  count();
  // Places beside those that are asked about.
  const auto elsewhere = [](std::size_t all, const std::vector<EventRef>& here) {
    return all - std::min(all, here.size());
  };
  const auto precedents = [&](const std::vector<EventRef>& side) {
    const EventRef ref = side.front();
    return elsewhere(places(pairs_, pair_of(token_before(ref), token(at(scenario_, ref)))), side);
  };
  if (one.empty() || other.empty() || token_before(one.front()) != token_before(other.front())) return false;
  if (precedents(one) != 0 || precedents(other) < kLeastPrecedents) return false;
  const EventRef odd = one.front();
  const bool made_elsewhere = elsewhere(places(calls_, token(at(scenario_, odd))), one) != 0;
  const auto& events = scenario_.ranks[static_cast<std::size_t>(odd.rank)].events;
  const bool goes_on =
      odd.index + 1 < events.size() && token(events[odd.index + 1]) == token(at(scenario_, other.front()));
  return made_elsewhere || goes_on;
}

std::optional<EventRef> Precedents::instead_of(EventRef usual, std::int32_t rank, std::uint32_t last) const {
  const auto& events = scenario_.ranks[static_cast<std::size_t>(rank)].events;
  if (events.empty()) return std::nullopt;
  const Token before = token_before(usual);
  for (auto index = std::min<std::uint32_t>(last, static_cast<std::uint32_t>(events.size() - 1));; --index) {
    if (token_before({rank, index}) == before) return EventRef{rank, index};
    if (index == 0) return std::nullopt;
  }
}

}  // namespace petri::diagnosis
