// Compiled once for each kind of vector instructions (Google Highway); what is chosen at run time is at the end.
#include "kernels/cpu/exact_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/exact_blocks.cpp"
#include "kernels/cpu/simd_targets.hpp"
// These come after the choice of targets.
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "kernels/cpu/beside.inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace petri::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using V = hn::Vec<Doubles>;
constexpr std::size_t kLanes = HWY_LANES(double);

// Registers that hold sums: half of those that there are.
constexpr std::size_t kSumRegisters = HWY_TARGET <= HWY_AVX3 ? 16 : 8;

// Independent chains of additions, to hide the latency of one.
template <int kLevels>
constexpr std::size_t kChains = std::min<std::size_t>(8, std::bit_floor(kSumRegisters / kLevels));

// log2 of the additions that a lane of a chain takes at most.
template <int kLevels>
constexpr int kStepBits = std::bit_width(kExactBlock / (kLanes * kChains<kLevels>)-1);

// Every number of this type is a multiple of 2^kLastBit.
template <class T>
constexpr int kLastBit = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;

// Exponent e of the anchor of a level: sums stay within [2^e, 2^(e+1)).
template <class T, int kLevels>
int anchor_exponent(int top, int level) {
  const int first = top + kStepBits<kLevels> + 1;
  return std::max(first - level * (52 - kStepBits<kLevels>), kLastBit<T> + 52);
}

HWY_INLINE double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

HWY_INLINE V load(const double* from) {
  return hn::LoadU(Doubles{}, from);
}
HWY_INLINE V load(const float* from) {
  return hn::PromoteTo(Doubles{}, hn::LoadU(hn::Rebind<float, Doubles>{}, from));
}

// set | (a ^ b), one instruction where there is one.
HWY_INLINE V or_different_bits(V set, V a, V b) {
#if HWY_TARGET <= HWY_AVX3
  const hn::RebindToSigned<Doubles> bits;
  const auto raw = [&](V v) { return hn::BitCast(bits, v).raw; };
  return hn::BitCast(Doubles{},
                     decltype(hn::BitCast(bits, a)){_mm512_ternarylogic_epi64(raw(set), raw(a), raw(b), 0xF6)});
#else
  return hn::Or(set, hn::Xor(a, b));
#endif
}

std::uint64_t or_of_lanes(V v) {
  HWY_ALIGN std::uint64_t lanes[kLanes];
  hn::Store(hn::BitCast(hn::RebindToUnsigned<Doubles>{}, v), hn::RebindToUnsigned<Doubles>{}, lanes);
  std::uint64_t all = 0;
  for (const std::uint64_t lane : lanes) all |= lane;
  return all;
}

HWY_INLINE std::int64_t sum_of_lanes(hn::Vec<hn::RebindToSigned<Doubles>> v) {
  HWY_ALIGN std::int64_t lanes[kLanes];
  hn::Store(v, hn::RebindToSigned<Doubles>{}, lanes);
  std::int64_t total = 0;
  for (const std::int64_t lane : lanes) total += lane;
  return total;
}

// The sum of differences from an anchor in whose binade all sums lie, in units of their last place.
template <std::size_t kCount>
HWY_INLINE std::int64_t difference(const V (&sums)[kCount], V anchor) {
  const hn::RebindToSigned<Doubles> bits;
  auto all = hn::Zero(bits);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kCount; ++i)
    all = hn::Add(all, hn::Sub(hn::BitCast(bits, sums[i]), hn::BitCast(bits, anchor)));
  return sum_of_lanes(all);
}

template <class T, int kLevels>
class Extraction {
 public:
  static constexpr std::size_t kChain = kChains<kLevels>;
  static constexpr std::size_t kStep = kChain * kLanes;

  explicit HWY_INLINE Extraction(int top) {
#pragma GCC unroll 4
    for (int j = 0; j < kLevels; ++j) {
      exponent_[j] = anchor_exponent<T, kLevels>(top, j);
      anchor_[j] = hn::Set(Doubles{}, 1.5 * power_of_two(exponent_[j]));
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kChain; ++i) sum_[j][i] = anchor_[j];
    }
    left_binade_ = lost_ = hn::Zero(Doubles{});
  }

  // kStep elements.
  HWY_INLINE void add(const T* elements) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kChain; ++i) {
      V x = load(elements + i * kLanes);
#pragma GCC unroll 4
      for (int j = 0; j < kLevels; ++j) {
        const V total = add_beside(sum_[j][i], x, one_);
        const V taken = hn::Sub(total, sum_[j][i]);
        sum_[j][i] = total;
        if (j == 0) left_binade_ = or_different_bits(left_binade_, total, anchor_[0]);
        if (j == kLevels - 1)
          lost_ = or_different_bits(lost_, x, taken);
        else
          x = hn::Sub(x, taken);
      }
    }
  }

  // Zeros of two signs are no loss.
  HWY_INLINE bool is_exact() const {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63, fraction = (std::uint64_t{1} << 52) - 1;
    return (or_of_lanes(left_binade_) & ~fraction) == 0 && (or_of_lanes(lost_) & ~sign) == 0;
  }

  HWY_INLINE void add_to(LevelSums& sums) const {
#pragma GCC unroll 4
    for (int j = 0; j < kLevels; ++j) {
      sums.integers[static_cast<std::size_t>(j)] += difference<kChain>(sum_[j], anchor_[j]);
      sums.exponents[static_cast<std::size_t>(j)] = exponent_[j] - 52;
    }
  }

 private:
  V one_ = one();
  V sum_[kLevels][kChain];
  V anchor_[kLevels];
  V left_binade_;
  V lost_;
  int exponent_[kLevels];
};

// Floats whose exponents lie in a narrow window: converted to double they are multiples of one u, and so are their
// sums, which are exact below 2^53 u. That the exponents do is seen on the bits of twice as many elements at a time,
// which is cheaper than to see what an addition lost.
class FloatSums {
 public:
  static constexpr std::size_t kChain = kChains<1>;
  static constexpr std::size_t kStep = kChain * kLanes;

  // All elements are multiples of 2^unit.
  static int unit(int top) { return std::max(top + kStepBits<1> - 53, kLastBit<float>); }

  explicit HWY_INLINE FloatSums(int top)
      : unit_(unit(top)),
        above_(top > 127 ? kInfinity : doubled_bits(top)),
        below_(unit_ == kLastBit<float> ? 1 : doubled_bits(unit_ + 23)) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kChain; ++i) sum_[i] = hn::Zero(Doubles{});
    largest_ = hn::Zero(Bits{});
    smallest_ = hn::Set(Bits{}, ~std::uint32_t{0});
  }

  // kStep elements.
  HWY_INLINE void add(const float* elements) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kChain; ++i) {
      sum_[i] = add_beside(sum_[i], load(elements + i * kLanes), one_);
      if (i * kLanes % kFloatLanes == 0) look_at(elements + i * kLanes);
    }
  }

  HWY_INLINE bool is_exact() const {
    const auto outside =
        hn::Or(hn::Gt(largest_, hn::Set(Bits{}, above_ - 1)), hn::Lt(smallest_, hn::Set(Bits{}, below_ - 1)));
    return hn::AllFalse(Bits{}, outside);
  }

  HWY_INLINE void add_to(LevelSums& sums) const {
    const hn::RebindToSigned<Doubles> integers;
    const V scale = hn::Set(Doubles{}, power_of_two(-unit_));
    auto all = hn::Zero(integers);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kChain; ++i) all = hn::Add(all, hn::ConvertTo(integers, hn::Mul(sum_[i], scale)));
    sums.integers[0] += sum_of_lanes(all);
    sums.exponents[0] = unit_;
  }

 private:
  using Bits = hn::ScalableTag<std::uint32_t>;
  static constexpr std::size_t kFloatLanes = HWY_LANES(float);

  // Twice a magnitude's bits are in the order of magnitudes.
  static constexpr std::uint32_t kInfinity = 0xFF000000;
  static HWY_INLINE std::uint32_t doubled_bits(int exponent) {
    return static_cast<std::uint32_t>(exponent + 127) << 24;
  }

  HWY_INLINE void look_at(const float* elements) {
    const auto bits = hn::BitCast(Bits{}, hn::LoadU(hn::ScalableTag<float>{}, elements));
    const auto doubled = hn::Add(bits, bits);  // without the sign
    largest_ = hn::Max(largest_, doubled);
    smallest_ = hn::Min(smallest_, hn::Sub(doubled, hn::Set(Bits{}, 1)));  // a zero comes last
  }

  int unit_;
  std::uint32_t above_, below_;  // bounds for doubled bits: all of them, and those that are not zero
  V one_ = one();
  V sum_[kChain];
  hn::Vec<Bits> largest_, smallest_;
};

template <class Block, class T>
bool add_elements(const T* elements, std::size_t count, int top, LevelSums& sums) {
  Block block(top);
  std::size_t i = 0;
  for (; i + Block::kStep <= count; i += Block::kStep) block.add(elements + i);
  if (i < count) {
    T rest[Block::kStep] = {};
    std::memcpy(rest, elements + i, (count - i) * sizeof(T));
    block.add(rest);
  }
  if (!block.is_exact()) return false;
  block.add_to(sums);
  return true;
}

template <class T>
bool add_block_of(const T* elements, std::size_t count, const Window& window, LevelSums& sums) {
  if constexpr (kUsualLevels<T> == 1)
    if (window.levels == 1) return add_elements<FloatSums>(elements, count, window.top, sums);
  switch (window.levels) {
    case 2: return add_elements<Extraction<T, 2>>(elements, count, window.top, sums);
    case 3: return add_elements<Extraction<T, 3>>(elements, count, window.top, sums);
    default: return add_elements<Extraction<T, 4>>(elements, count, window.top, sums);
  }
}

struct Magnitudes {
  double largest = 0, smallest = std::numeric_limits<double>::infinity();  // the smallest that is not zero
  bool finite = true;
};

class Survey {
 public:
  // Not left to the compiler: what it writes itself is not compiled for the target.
  HWY_INLINE Survey() : largest_(hn::Zero(d)), smallest_(hn::Set(d, kInfinity)), poison_(hn::Zero(d)) {}

  template <class T>
  HWY_INLINE void look_at(const T* elements) {
    const V x = load(elements), magnitude = hn::Abs(x);
    largest_ = hn::Max(largest_, magnitude);
    smallest_ = hn::Min(smallest_, hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, kInfinity), magnitude));
    poison_ = hn::Or(poison_, hn::Sub(x, x));  // NaN unless x is finite
  }

  Magnitudes result() const {
    HWY_ALIGN double large[kLanes], small[kLanes];
    hn::Store(largest_, d, large);
    hn::Store(smallest_, d, small);
    Magnitudes all{0, kInfinity, or_of_lanes(poison_) == 0};
    for (const double lane : large) all.largest = std::max(all.largest, lane);
    for (const double lane : small) all.smallest = std::min(all.smallest, lane);
    return all;
  }

  HWY_INLINE void merge(const Survey& other) {
    largest_ = hn::Max(largest_, other.largest_);
    smallest_ = hn::Min(smallest_, other.smallest_);
    poison_ = hn::Or(poison_, other.poison_);
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr Doubles d{};
  V largest_, smallest_, poison_;
};

template <class T>
Magnitudes magnitudes(const T* elements, std::size_t count) {
  Survey survey, second;  // two chains, to hide the latency of one
  std::size_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    survey.look_at(elements + i);
    second.look_at(elements + i + kLanes);
  }
  if (i < count) {
    T rest[2 * kLanes] = {};
    std::memcpy(rest, elements + i, (count - i) * sizeof(T));
    survey.look_at(rest);
    second.look_at(rest + kLanes);
  }
  survey.merge(second);
  return survey.result();
}

template <class T, int kLevels>
bool holds(int top, int last_bit) {
  return anchor_exponent<T, kLevels>(top, 0) <= 1023 && anchor_exponent<T, kLevels>(top, kLevels - 1) - 52 <= last_bit;
}

template <class T>
std::optional<Window> window_of_elements(const T* elements, std::size_t count) {
  const Magnitudes found = magnitudes(elements, count);
  if (!found.finite) return std::nullopt;
  if (found.largest == 0) return Window{kLastBit<T>, kUsualLevels<T>};
  const int top = std::ilogb(found.largest) + 1;
  const int last_bit = std::max(std::ilogb(found.smallest) + 1 - std::numeric_limits<T>::digits, kLastBit<T>);
  if (kUsualLevels<T> == 1 && FloatSums::unit(top) <= last_bit) return Window{top, 1};
  if (holds<T, 2>(top, last_bit)) return Window{top, 2};
  if (holds<T, 3>(top, last_bit)) return Window{top, 3};
  if (holds<T, 4>(top, last_bit)) return Window{top, 4};
  return std::nullopt;
}

std::optional<Window> window_of_floats(const float* elements, std::size_t count) {
  return window_of_elements(elements, count);
}
std::optional<Window> window_of_doubles(const double* elements, std::size_t count) {
  return window_of_elements(elements, count);
}
bool add_floats(const float* elements, std::size_t count, const Window& window, LevelSums& sums) {
  return add_block_of(elements, count, window, sums);
}
bool add_doubles(const double* elements, std::size_t count, const Window& window, LevelSums& sums) {
  return add_block_of(elements, count, window, sums);
}

}  // namespace petri::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace petri::kernels {

HWY_EXPORT(window_of_floats);
HWY_EXPORT(window_of_doubles);
HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);

template <>
std::optional<Window> window_of(const float* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(window_of_floats)(elements, count);
}
template <>
std::optional<Window> window_of(const double* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(window_of_doubles)(elements, count);
}
template <>
bool add_block(const float* elements, std::size_t count, const Window& window, LevelSums& sums) {
  return HWY_DYNAMIC_DISPATCH(add_floats)(elements, count, window, sums);
}
template <>
bool add_block(const double* elements, std::size_t count, const Window& window, LevelSums& sums) {
  return HWY_DYNAMIC_DISPATCH(add_doubles)(elements, count, window, sums);
}

}  // namespace petri::kernels
#endif
