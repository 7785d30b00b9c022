#include "reducers/loops.hpp"

#include <algorithm>

namespace petri::reduce {
namespace {

constexpr std::size_t kSlots = 1 << 12;  // of each table of tails; a tail that takes another's slot hides it
constexpr std::size_t kMostDue = 8;      // loops that may go on at one place; more only in sequences made for it
constexpr Hash kLoop = 0x6c6f6f70;

// Sequences are compared as polynomials modulo the Mersenne prime 2^61 - 1. (Modulo 2^64 the Thue-Morse sequence and
// its complement collide, whatever the base.)
constexpr Hash kPrime = (Hash{1} << 61U) - 1;
constexpr Hash kBase = 0x1d8af066f2a5c3b7U % kPrime;
__extension__ using Wide = unsigned __int128;

constexpr Hash reduced(Hash value) {
  value = (value & kPrime) + (value >> 61U);
  return value >= kPrime ? value - kPrime : value;
}

constexpr Hash times(Hash a, Hash b) {
  const Wide product = static_cast<Wide>(a) * b;
  return reduced((static_cast<Hash>(product) & kPrime) + static_cast<Hash>(product >> 61U));
}

}  // namespace

LoopFolder::LoopFolder() : powers_{1} {
  for (auto& slots : seen_) slots.assign(kSlots, kNowhere);
}

void LoopFolder::clear() {
  truncate(0);
}

void LoopFolder::push(Hash symbol) {
  append(reduced(symbol), false);
  while (!continue_loop() && fold()) continue;
}

Hash LoopFolder::shape() const {
  return mix(nodes_.empty() ? 0 : nodes_.back().prefix, nodes_.size());
}

Hash LoopFolder::range(std::size_t from, std::size_t to) const {
  const Hash before = from == 0 ? 0 : times(nodes_[from - 1].prefix, powers_[to - from]);
  return reduced(nodes_[to - 1].prefix + kPrime - before);
}

std::uint32_t& LoopFolder::last_seen(std::size_t tail, std::size_t end) {
  return seen_[tail][mix(tail, range(end - kTails[tail], end)) % kSlots];
}

void LoopFolder::append(Hash hash, bool loops) {
  const Hash before = nodes_.empty() ? 0 : nodes_.back().prefix;
  nodes_.push_back({hash, reduced(times(before, kBase) + hash), loops, {}});
  if (powers_.size() <= nodes_.size()) powers_.push_back(times(powers_.back(), kBase));
  nodes_.back().before.fill(kNowhere);
  for (std::size_t tail = 0; tail < kTails.size() && kTails[tail] <= nodes_.size(); ++tail) {
    std::uint32_t& seen = last_seen(tail, nodes_.size());
    nodes_.back().before[tail] = seen;
    seen = static_cast<std::uint32_t>(nodes_.size() - 1);
  }
}

// The tables go back to what they were, so that what is folded away hides nothing.
void LoopFolder::truncate(std::size_t size) {
  while (nodes_.size() > size) {
    const auto last = static_cast<std::uint32_t>(nodes_.size() - 1);
    for (std::size_t tail = 0; tail < kTails.size() && kTails[tail] <= nodes_.size(); ++tail) {
      last_seen(tail, nodes_.size()) = nodes_.back().before[tail];
    }
    for (; !dues_.empty() && dues_.back().loop == last; dues_.pop_back()) {
      due_[last + 1 + dues_.back().length] = dues_.back().next;
    }
    nodes_.pop_back();
  }
}

void LoopFolder::expect(std::uint32_t loop, std::uint32_t length, Hash body) {
  const std::size_t place = loop + 1 + length;
  if (due_.size() <= place) due_.resize(std::max(place + 1, 2 * due_.size()), kNowhere);
  dues_.push_back({loop, length, body, due_[place]});
  due_[place] = static_cast<std::uint32_t>(dues_.size() - 1);
}

bool LoopFolder::continue_loop() {
  if (nodes_.size() >= due_.size()) return false;
  std::size_t looked = 0;
  for (std::uint32_t i = due_[nodes_.size()]; i != kNowhere && looked < kMostDue; i = dues_[i].next, ++looked) {
    const Due due = dues_[i];
    if (range(due.loop + 1, nodes_.size()) != due.body) continue;
    truncate(due.loop + 1);
    return true;
  }
  return false;
}

// Do the last elements repeat those before them? Then both become a loop.
bool LoopFolder::fold() {
  const std::size_t size = nodes_.size();
  for (std::size_t tail = 0; tail < kTails.size() && kTails[tail] <= size; ++tail) {
    const std::uint32_t seen = nodes_.back().before[tail];
    if (seen == kNowhere || 2 * (size - 1 - seen) > size) continue;
    const std::size_t length = size - 1 - seen;
    const Hash body = range(size - length, size);
    if (body != range(size - 2 * length, size - length)) continue;
    std::vector<Due> inner;
    for (auto due = dues_.rbegin(); due != dues_.rend() && due->loop == size - 1; ++due) inner.push_back(*due);
    const bool one_loop = length == 1 && nodes_.back().loops;
    truncate(one_loop ? size - 1 : size - 2 * length);
    if (one_loop) return false;
    append(reduced(mix(kLoop, body)), true);
    const auto loop = static_cast<std::uint32_t>(nodes_.size() - 1);
    expect(loop, static_cast<std::uint32_t>(length), body);
    for (auto due = inner.rbegin(); due != inner.rend(); ++due) expect(loop, due->length, due->body);
    return true;
  }
  return false;
}

}  // namespace petri::reduce
