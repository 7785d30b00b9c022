// A signed integer of fixed length, in two's complement: long enough, it holds every sum of floating-point numbers as a
// multiple of the smallest one, so that nothing is ever rounded (Kulisch's accumulator).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace petri::kernels {

// One value has one representation: two of them are equal if and only if their bytes are. Overflow wraps.
template <int kWords>
struct FixedPoint {
  static constexpr int kBits = 64 * kWords;
  std::array<std::uint64_t, kWords> words{};  // the least significant one first

  friend bool operator==(const FixedPoint&, const FixedPoint&) = default;

  constexpr bool is_negative() const { return (words.back() >> 63) != 0; }

  // Adds value · 2^position.
  constexpr void add(std::int64_t value, int position) {
    const int word = position / 64, shift = position % 64;
    const std::uint64_t low = static_cast<std::uint64_t>(value) << shift;
    // The upper half by two shifts: one by 64 has no meaning.
    const auto high = static_cast<std::uint64_t>((value >> 1) >> (63 - shift));
    const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
    bool carry = add_word(word, low, false);
    if (word + 1 == kWords) return;
    carry = add_word(word + 1, high, carry);
    // What is left to add is -1 with a carry or 0 without one (nothing more happens), or else -1 or +1.
    for (int i = word + 2; i < kWords && carry != (sign != 0); ++i) carry = add_word(i, sign, carry);
  }

  constexpr void add(const FixedPoint& other) {
    bool carry = false;
    for (int i = 0; i < kWords; ++i) carry = add_word(i, other.words[static_cast<std::size_t>(i)], carry);
  }

  constexpr FixedPoint negated() const {
    FixedPoint result;
    bool carry = true;
    for (std::size_t i = 0; i < kWords; ++i) {
      result.words[i] = ~words[i];
      carry = result.add_word(static_cast<int>(i), 0, carry);
    }
    return result;
  }

  // Of a value that is not negative: the place of its leading bit, -1 for zero.
  constexpr int leading_bit() const {
    for (int i = kWords - 1; i >= 0; --i)
      if (const std::uint64_t word = words[static_cast<std::size_t>(i)]; word != 0)
        return 64 * i + 63 - std::countl_zero(word);
    return -1;
  }

  // The 64 bits from `position` on (a negative one: from below the value, zeros first).
  constexpr std::uint64_t bits_from(int position) const {
    if (position < 0) return position <= -64 ? 0 : words[0] << -position;
    const int word = position / 64, shift = position % 64;
    const auto at = [&](int i) { return i < kWords ? words[static_cast<std::size_t>(i)] : 0; };
    return shift == 0 ? at(word) : (at(word) >> shift) | (at(word + 1) << (64 - shift));
  }

  // Is a bit below `position` set?
  constexpr bool any_below(int position) const {
    int i = 0;
    for (; 64 * (i + 1) <= position; ++i)
      if (words[static_cast<std::size_t>(i)] != 0) return true;
    return position > 64 * i && (words[static_cast<std::size_t>(i)] << (64 * (i + 1) - position)) != 0;
  }

 private:
  constexpr bool add_word(int index, std::uint64_t value, bool carry) {
    std::uint64_t& word = words[static_cast<std::size_t>(index)];
    const std::uint64_t sum = word + value;
    const std::uint64_t with_carry = sum + (carry ? 1 : 0);
    const bool out = sum < word || with_carry < sum;
    word = with_carry;
    return out;
  }
};

}  // namespace petri::kernels
