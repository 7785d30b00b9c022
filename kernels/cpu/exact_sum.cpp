#include "kernels/cpu/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernels/cpu/element_types.hpp"
#include "kernels/cpu/exact_blocks.hpp"
#include "kernels/cpu/float_environment.hpp"

namespace petri::kernels {
namespace {

// The interchange formats of IEEE 754 (bfloat16 is made like them).
template <class T>
struct Format {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  static constexpr int kDigits = std::numeric_limits<T>::digits;  // of the significand, the leading one included
  static constexpr int kFraction = kDigits - 1;
  static constexpr int kLastBit = std::numeric_limits<T>::min_exponent - kDigits;  // of the smallest subnormal
  static constexpr int kWidth = static_cast<int>(8 * sizeof(T));
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
  static constexpr int kInfiniteExponent = (1 << (kWidth - 1 - kFraction)) - 1;
  static constexpr Bits kInfinity = static_cast<Bits>(static_cast<Bits>(kInfiniteExponent) << kFraction);
  static constexpr Bits kNan = static_cast<Bits>(kInfinity | (Bits{1} << (kFraction - 1)));
};

template <class T>
typename Format<T>::Bits bits_of(T value) {
  return Eigen::numext::bit_cast<typename Format<T>::Bits>(value);
}
template <class T>
T from_bits(std::uint64_t bits) {
  return Eigen::numext::bit_cast<T>(static_cast<typename Format<T>::Bits>(bits));
}

// A magnitude in units of 2^last_bit, rounded to nearest, ties to even, as the bits of a T without its sign.
template <class T, class Sum>
std::uint64_t rounded_bits(const Sum& magnitude, int last_bit) {
  using F = Format<T>;
  const int leading = magnitude.leading_bit();
  if (leading < 0) return 0;
  // The place of the result's last bit: a subnormal result has it at the end of T's range.
  const int end = F::kLastBit - last_bit;
  const int place = std::max(leading - F::kDigits + 1, end);
  if (place - end >= F::kInfiniteExponent - 1) return F::kInfinity;
  std::uint64_t significand = place > leading ? 0 : magnitude.bits_from(place) & ((std::uint64_t{1} << F::kDigits) - 1);
  if (place > 0 && (magnitude.bits_from(place - 1) & 1) != 0 &&
      (magnitude.any_below(place - 1) || (significand & 1) != 0))
    ++significand;
  // The leading one of a normal number adds 1 to the exponent's field, and so does a significand that was carried into
  // the next binade, up to infinity.
  return (static_cast<std::uint64_t>(place - end) << F::kFraction) + significand;
}

// A sum of up to 2^31 numbers whose carries wait: each word takes 32 bits.
template <class T, int kWords>
class WideWords {
 public:
  void add(T element) {
    using F = Format<T>;
    const auto bits = bits_of(element);
    const int exponent = static_cast<int>((bits & ~F::kSign) >> F::kFraction);
    std::uint64_t significand = bits & ((typename F::Bits{1} << F::kFraction) - 1);
    if (exponent != 0) significand |= std::uint64_t{1} << F::kFraction;
    const int place = std::max(exponent, 1) - 1;
    const auto word = static_cast<std::size_t>(place / 32);
    const int shift = place % 32;
    const std::uint64_t low = (significand << shift) & 0xFFFFFFFF, rest = (significand >> 1) >> (31 - shift);
    const std::int64_t sign = (bits & F::kSign) != 0 ? -1 : 0;
    const auto put = [&](std::size_t at, std::uint64_t part) {
      words_[at] += (static_cast<std::int64_t>(part) ^ sign) - sign;
    };
    put(word, low);
    put(word + 1, rest & 0xFFFFFFFF);
    put(word + 2, rest >> 32);
  }

  void add_to(FixedPoint<kWords>& sum) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] != 0) sum.add(words_[i], static_cast<int>(32 * i));
  }

 private:
  std::array<std::int64_t, static_cast<std::size_t>(2 * kWords)> words_{};
};

template <class T>
void flush(LevelSums& levels, int last_bit, T& sum) {
  for (std::size_t j = 0; j < kMaxLevels; ++j)
    if (levels.integers[j] != 0) sum.add(levels.integers[j], levels.exponents[j] - last_bit);
  levels = {};
}

// Fewer elements than a vector loop takes to get going.
constexpr std::size_t kFew = 8;

}  // namespace

template <class T>
void ExactSum<T>::note(Content content) {
  const bool infinities = content_ + content == plus_infinity + minus_infinity && content_ >= plus_infinity;
  content_ = infinities ? not_a_number : std::max<std::uint64_t>(content_, content);
  if (content_ > numbers) sum_ = {};
}

template <class T>
void ExactSum<T>::add(const ExactSum& other) {
  note(static_cast<Content>(other.content_));
  if (content_ == numbers) sum_.add(other.sum_);
}

template <class T>
void ExactSum<T>::add(std::span<const T> elements) {
  if constexpr (std::is_same_v<T, Wide>) {
    add_wide(elements);
  } else {
    std::array<Wide, kExactBlock> wide;
    for (std::size_t i = 0; i < elements.size(); i += wide.size()) {
      const auto block = elements.subspan(i, std::min(wide.size(), elements.size() - i));
      std::transform(block.begin(), block.end(), wide.begin(), [](T x) { return static_cast<Wide>(x); });
      add_wide(std::span<const Wide>(wide.data(), block.size()));
    }
  }
}

template <class T>
void ExactSum<T>::add_wide(std::span<const Wide> elements) {
  std::size_t first = 0;
  if (content_ < numbers) {
    while (first < elements.size() && bits_of(elements[first]) == Format<Wide>::kSign) ++first;
    if (first > 0) note(minus_zeros);
    if (first == elements.size()) return;
    note(numbers);
  }
  if (content_ == not_a_number) return;
  const ScopedFloatEnvironment environment;
  add_blocks(elements.data() + first, elements.size() - first);
  if (content_ != numbers) sum_ = {};
}

// Each block's window is guessed to be that of the block before, as long as it has no more than the usual levels.
template <class T>
void ExactSum<T>::add_blocks(const Wide* elements, std::size_t count) {
  if (count <= kFew) return add_scalars(elements, count);
  LevelSums levels;
  std::optional<Window> window;
  int blocks = 0;
  for (std::size_t first = 0; first < count; first += kExactBlock) {
    const Wide* block = elements + first;
    const std::size_t size = std::min(kExactBlock, count - first);
    if (!window || !add_block(block, size, *window, levels)) {
      flush(levels, kLastBit, sum_);
      blocks = 0;
      window = window_of(block, size);
      if (!window || !add_block(block, size, *window, levels)) add_scalars(block, size);
    }
    const bool guess = window && window->levels == kUsualLevels<Wide>;
    if (++blocks == kBlocksInLevelSums || !guess) {
      flush(levels, kLastBit, sum_);
      blocks = 0;
    }
    if (!guess) window.reset();
  }
  flush(levels, kLastBit, sum_);
}

template <class T>
void ExactSum<T>::add_scalars(const Wide* elements, std::size_t count) {
  WideWords<Wide, sizeof(sum_.words) / sizeof(sum_.words[0])> words;
  using F = Format<Wide>;
  for (std::size_t i = 0; i < count; ++i) {
    const auto magnitude = static_cast<typename F::Bits>(bits_of(elements[i]) & ~F::kSign);
    if (magnitude < F::kInfinity) {
      words.add(elements[i]);
    } else {
      const bool negative = (bits_of(elements[i]) & F::kSign) != 0;
      note(magnitude > F::kInfinity ? not_a_number : negative ? minus_infinity : plus_infinity);
    }
  }
  if (content_ == numbers) words.add_to(sum_);
}

template <class T>
template <class U>
U ExactSum<T>::rounded_to() const {
  using F = Format<U>;
  switch (content_) {
    case nothing: return from_bits<U>(0);
    case minus_zeros: return from_bits<U>(F::kSign);
    case plus_infinity: return from_bits<U>(F::kInfinity);
    case minus_infinity: return from_bits<U>(F::kSign | F::kInfinity);
    case not_a_number: return from_bits<U>(F::kNan);
    default: break;
  }
  const bool negative = sum_.is_negative();
  const std::uint64_t bits = rounded_bits<U>(negative ? sum_.negated() : sum_, kLastBit);
  return from_bits<U>(negative ? bits | F::kSign : bits);
}

#define PETRI_EXACT_SUM(T)                              \
  template class ExactSum<T>;                           \
  template float ExactSum<T>::rounded_to() const;       \
  template double ExactSum<T>::rounded_to() const;      \
  template Eigen::half ExactSum<T>::rounded_to() const; \
  template Eigen::bfloat16 ExactSum<T>::rounded_to() const;
PETRI_EXACT_SUM(float)
PETRI_EXACT_SUM(double)
PETRI_EXACT_SUM(Eigen::half)
PETRI_EXACT_SUM(Eigen::bfloat16)

}  // namespace petri::kernels
