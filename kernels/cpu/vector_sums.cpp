// Compiled once for each kind of vector instructions (Google Highway); what is chosen at run time is at the end.
#include "kernels/cpu/vector_sums.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/vector_sums.cpp"
#include "kernels/cpu/simd_targets.hpp"
// These come after the choice of targets.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace petri::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Vector = hn::Vec<hn::ScalableTag<T>>;

// kVectors accumulators, each lane of which sums every kStride-th element. They start at -0, which adds nothing to
// any number, zeros of either sign included.
template <class T, std::size_t kVectors>
class Lanes {
 public:
  static constexpr std::size_t kLanes = HWY_LANES(T);
  static constexpr std::size_t kStride = kVectors * kLanes;

  HWY_INLINE Lanes() {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kVectors; ++i) sum_[i] = hn::Set(d, -T{0});
  }

  HWY_INLINE void add(const T* elements) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kVectors; ++i) sum_[i] = hn::Add(sum_[i], hn::LoadU(d, elements + i * kLanes));
  }

  // Halves are added to one another until one number is left.
  HWY_INLINE T total() const {
    HWY_ALIGN T lanes[kStride];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kVectors; ++i) hn::Store(sum_[i], d, lanes + i * kLanes);
    for (std::size_t half = kStride / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return lanes[0];
  }

 private:
  static constexpr hn::ScalableTag<T> d{};
  Vector<T> sum_[kVectors];
};

// Calls step(p) for each `stride` elements, the last time for a copy that is filled up with -0.
template <std::size_t kStride, class T, class Step>
HWY_INLINE void in_strides(const T* elements, std::size_t count, Step step) {
  std::size_t i = 0;
  for (; i + kStride <= count; i += kStride) step(elements + i);
  if (i == count) return;
  T rest[kStride];
  for (std::size_t j = 0; j < kStride; ++j) rest[j] = i + j < count ? elements[i + j] : -T{0};
  step(rest);
}

template <class T>
T plain(const T* elements, std::size_t count) {
  Lanes<T, 8> lanes;
  in_strides<Lanes<T, 8>::kStride>(elements, count, [&](const T* at) HWY_ATTR { lanes.add(at); });
  return lanes.total();
}

// The same number of lanes whatever the width of a vector: the order is the same on every machine.
template <class T>
constexpr std::size_t kVirtualVectors = 256 / sizeof(T) / HWY_LANES(T);

constexpr std::size_t kPairwiseBlock = 1024;

template <class T>
T pairwise(const T* elements, std::size_t count) {
  if (count > kPairwiseBlock) {
    const std::size_t half = std::bit_floor(count - 1);
    const T left = pairwise(elements, half);
    return left + pairwise(elements + half, count - half);
  }
  using Block = Lanes<T, kVirtualVectors<T>>;
  Block lanes;
  in_strides<Block::kStride>(elements, count, [&](const T* at) HWY_ATTR { lanes.add(at); });
  return lanes.total();
}

// Neumaier's sum with Knuth's branch-free TwoSum: the rounding error of each addition is summed beside it.
template <class T>
class CompensatedLanes {
 public:
  static constexpr std::size_t kLanes = HWY_LANES(T);
  static constexpr std::size_t kVectors = 128 / sizeof(T) / kLanes;  // on every machine as many lanes
  static constexpr std::size_t kStride = kVectors * kLanes;

  HWY_INLINE CompensatedLanes() {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kVectors; ++i) {
      head_[i] = hn::Set(d, -T{0});
      tail_[i] = hn::Zero(d);
    }
  }

  HWY_INLINE void add(const T* elements) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kVectors; ++i) {
      const Vector<T> x = hn::LoadU(d, elements + i * kLanes), head = head_[i];
      const Vector<T> sum = hn::Add(head, x);
      const Vector<T> added = hn::Sub(sum, head);
      const Vector<T> error = hn::Add(hn::Sub(head, hn::Sub(sum, added)), hn::Sub(x, added));
      head_[i] = sum;
      tail_[i] = hn::Add(tail_[i], error);
    }
  }

  HWY_INLINE Compensated<T> total() const {
    HWY_ALIGN T heads[kStride], tails[kStride];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kVectors; ++i) {
      hn::Store(head_[i], d, heads + i * kLanes);
      hn::Store(tail_[i], d, tails + i * kLanes);
    }
    Compensated<T> all{heads[0], tails[0]};
    for (std::size_t i = 1; i < kStride; ++i) {
      const T sum = all.head + heads[i], added = sum - all.head;
      all.tail += ((all.head - (sum - added)) + (heads[i] - added)) + tails[i];
      all.head = sum;
    }
    return all;
  }

 private:
  static constexpr hn::ScalableTag<T> d{};
  Vector<T> head_[kVectors], tail_[kVectors];
};

template <class T>
Compensated<T> compensated(const T* elements, std::size_t count) {
  CompensatedLanes<T> lanes;
  in_strides<CompensatedLanes<T>::kStride>(elements, count, [&](const T* at) HWY_ATTR { lanes.add(at); });
  return lanes.total();
}

float plain_float(const float* elements, std::size_t count) {
  return plain(elements, count);
}
double plain_double(const double* elements, std::size_t count) {
  return plain(elements, count);
}
float pairwise_float(const float* elements, std::size_t count) {
  return pairwise(elements, count);
}
double pairwise_double(const double* elements, std::size_t count) {
  return pairwise(elements, count);
}
Compensated<float> compensated_float(const float* elements, std::size_t count) {
  return compensated(elements, count);
}
Compensated<double> compensated_double(const double* elements, std::size_t count) {
  return compensated(elements, count);
}

}  // namespace petri::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace petri::kernels {

HWY_EXPORT(plain_float);
HWY_EXPORT(plain_double);
HWY_EXPORT(pairwise_float);
HWY_EXPORT(pairwise_double);
HWY_EXPORT(compensated_float);
HWY_EXPORT(compensated_double);

template <>
float plain_vector_sum(const float* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(plain_float)(elements, count);
}
template <>
double plain_vector_sum(const double* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(plain_double)(elements, count);
}
template <>
float pairwise_vector_sum(const float* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(pairwise_float)(elements, count);
}
template <>
double pairwise_vector_sum(const double* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(pairwise_double)(elements, count);
}
template <>
Compensated<float> compensated_vector_sum(const float* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(compensated_float)(elements, count);
}
template <>
Compensated<double> compensated_vector_sum(const double* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(compensated_double)(elements, count);
}

}  // namespace petri::kernels
#endif
