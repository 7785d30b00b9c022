// Arrays whose sums are hard to get right, and a reference that takes none of the ways that kernels take (GNU MPFR).
#pragma once

#include <mpfr.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace petri::kernels {

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

template <class T>
BitsOf<T> bits(T value) {
  return Eigen::numext::bit_cast<BitsOf<T>>(value);
}

// The real sum of finite elements, in as many bits as all of a double's range takes.
class RealSum {
 public:
  RealSum() { mpfr_init2(sum_, 2400), mpfr_set_zero(sum_, 1); }
  ~RealSum() { mpfr_clear(sum_); }
  RealSum(const RealSum&) = delete;
  RealSum& operator=(const RealSum&) = delete;

  void add(double x) {
    if (mpfr_add_d(sum_, sum_, x, MPFR_RNDN) != 0) inexact_ = true;
  }
  bool inexact() const { return inexact_; }

  // Rounded once, to nearest.
  template <class T>
  T rounded() const {
    using Limits = std::numeric_limits<T>;
    // MPFR's exponents are those of a significand in [0.5, 1).
    const mpfr_exp_t least = mpfr_get_emin(), largest = mpfr_get_emax();
    mpfr_t value;
    mpfr_init2(value, Limits::digits);
    mpfr_set_emin(Limits::min_exponent - Limits::digits + 1);
    mpfr_set_emax(Limits::max_exponent);
    int side = mpfr_set(value, sum_, MPFR_RNDN);
    side = mpfr_check_range(value, side, MPFR_RNDN);
    mpfr_subnormalize(value, side, MPFR_RNDN);
    const double result = mpfr_get_d(value, MPFR_RNDN);  // exact
    mpfr_clear(value);
    mpfr_set_emin(least);
    mpfr_set_emax(largest);
    return static_cast<T>(result);
  }

 private:
  mpfr_t sum_;
  bool inexact_ = false;
};

// Finite elements of many kinds: one kind a case.
template <class T>
class SumCases {
 public:
  explicit SumCases(std::uint64_t seed) : chance_(seed) {}

  static constexpr int kKinds = 10;

  std::vector<T> next(std::size_t count, int kind) {
    switch (kind) {
      case 0: return filled(count, [&] { return any_bits(); });
      case 1: return filled(count, [&] { return static_cast<T>(normal_(chance_)); });
      case 2: {
        const int range = between(1, kHighest - kLowest), low = between(kLowest, kHighest - range);
        return filled(count, [&] { return scaled(low, low + range); });
      }
      case 3: return cancelling(count, kLowest, kHighest);
      case 4: return cancelling(count, -12, 12);
      case 5: return ties(count);
      case 6: return filled(count, [&] { return scaled(kLowest, kLowest + Limits::digits); });
      case 7: return near_the_largest(count);
      case 8: return filled(count, [&] { return static_cast<T>(static_cast<float>(between(-9, 9))); });
      default: return mostly_zeros(count);
    }
  }

  std::size_t length() {
    switch (between(0, 15)) {
      case 0: return static_cast<std::size_t>(between(0, 3));
      case 1: return static_cast<std::size_t>(between(100, 700));
      default: return static_cast<std::size_t>(between(0, 40));
    }
  }

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(chance_); }
  std::mt19937_64& chance() { return chance_; }

 private:
  using Limits = std::numeric_limits<T>;
  // Exponents of the smallest subnormal, and of the largest number.
  static constexpr int kLowest = Limits::min_exponent - Limits::digits, kHighest = Limits::max_exponent - 1;

  template <class Make>
  std::vector<T> filled(std::size_t count, Make make) {
    std::vector<T> all(count);
    for (T& x : all) x = make();
    return all;
  }

  T any_bits() {
    for (;;) {
      const T x = Eigen::numext::bit_cast<T>(static_cast<BitsOf<T>>(chance_()));
      if ((Eigen::numext::isfinite)(x)) return x;
    }
  }

  // A random significand at a random exponent.
  T scaled(int low, int high) {
    const double significand = 1 + static_cast<double>(chance_() >> 12) * 0x1p-52;
    for (;;) {
      const double x = std::ldexp(chance_() % 2 == 0 ? significand : -significand, between(low, high));
      const T rounded = static_cast<T>(x);
      if ((Eigen::numext::isfinite)(rounded)) return rounded;
    }
  }

  // All but a few have a counterpart of the other sign.
  std::vector<T> cancelling(std::size_t count, int low, int high) {
    std::vector<T> all;
    while (all.size() + 1 < count) {
      all.push_back(scaled(low, high));
      all.push_back(-all.back());
    }
    while (all.size() < count) all.push_back(scaled(low, high));
    if (count > 4) all[static_cast<std::size_t>(between(0, 3))] = scaled(kLowest, high);
    std::shuffle(all.begin(), all.end(), chance_);
    return all;
  }

  // A number, half a unit in its last place, and perhaps something tiny that decides.
  std::vector<T> ties(std::size_t count) {
    const int top = between(kLowest + Limits::digits, kHighest - 1);
    std::vector<T> all = cancelling(count < 4 ? 0 : count - 4, kLowest, kHighest);
    const T number = scaled(top, top);
    const double unit = std::ldexp(1.0, std::ilogb(static_cast<double>(number)) - Limits::digits + 1);
    all.push_back(number);
    all.push_back(static_cast<T>(chance_() % 2 == 0 ? unit / 2 : -unit / 2));
    if (chance_() % 3 != 0) all.push_back(scaled(kLowest, std::max(kLowest, top - Limits::digits - 2)));
    std::shuffle(all.begin(), all.end(), chance_);
    return all;
  }

  std::vector<T> near_the_largest(std::size_t count) {
    std::vector<T> all = filled(count, [&] { return scaled(kHighest - 3, kHighest); });
    for (std::size_t i = 0; i + 1 < count; i += 2)
      if (chance_() % 8 != 0) all[i + 1] = chance_() % 2 == 0 ? -all[i] : Limits::max();
    std::shuffle(all.begin(), all.end(), chance_);
    return all;
  }

  std::vector<T> mostly_zeros(std::size_t count) {
    return filled(count, [&] {
      const int what = between(0, 9);
      return what < 5 ? T(0) : what < 9 ? -T(0) : scaled(kLowest, kHighest);
    });
  }

  std::mt19937_64 chance_;
  std::normal_distribution<double> normal_;
};

}  // namespace petri::kernels
