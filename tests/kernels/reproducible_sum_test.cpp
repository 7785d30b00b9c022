// The reproducible sum does not depend on the order of its elements, how they are grouped, on threads, or on vectors.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/cpu/exact_sum.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/sums.hpp"
#include "tests/kernels/sum_cases.hpp"

namespace petri::kernels {
namespace {

// An accumulator that depends on order: what the checks below must be able to tell.
template <class T>
class PlainSum {
 public:
  void add(std::span<const T> elements) { sum_ = static_cast<T>(sum_ + sum(SumKernel::plain, elements)); }
  void add(const PlainSum& other) { sum_ = static_cast<T>(sum_ + other.sum_); }
  T rounded() const { return sum_; }

 private:
  T sum_ = T(0);
};

template <class Sum, class T>
Sum accumulated(std::span<const T> elements) {
  Sum sum;
  sum.add(elements);
  return sum;
}

// Cuts the elements into 1 to 64 groups and merges these in random order, two by two.
template <class Sum, class T>
Sum in_groups(std::span<const T> elements, std::mt19937_64& chance) {
  const auto at_most = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(chance); };
  std::vector<std::size_t> ends(at_most(63));
  for (std::size_t& end : ends) end = at_most(elements.size());
  ends.push_back(elements.size());
  std::sort(ends.begin(), ends.end());
  std::vector<Sum> sums;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    sums.push_back(accumulated<Sum>(elements.subspan(begin, end - begin)));
    begin = end;
  }
  while (sums.size() > 1) {
    std::swap(sums[at_most(sums.size() - 1)], sums.back());
    const Sum last = sums.back();
    sums.pop_back();
    sums[at_most(sums.size() - 1)].add(last);
  }
  return sums.front();
}

template <class Sum>
bool same_bytes(const Sum& a, const Sum& b) {
  return std::memcmp(&a, &b, sizeof(Sum)) == 0;
}

template <class Sum, class T>
bool is_order_invariant(std::vector<T> elements, int permutations) {
  std::mt19937_64 chance(7);
  const Sum expected = accumulated<Sum>(std::span<const T>(elements));
  for (int i = 0; i < permutations; ++i) {
    std::shuffle(elements.begin(), elements.end(), chance);
    if (!same_bytes(accumulated<Sum>(std::span<const T>(elements)), expected)) return false;
    const Sum grouped = in_groups<Sum>(std::span<const T>(elements), chance);
    if (!same_bytes(grouped, expected) || bits(grouped.rounded()) != bits(expected.rounded())) return false;
  }
  return true;
}

template <class T>
class ReproducibleSumOf : public testing::Test {
 protected:
  // One array of each kind.
  std::vector<std::vector<T>> arrays(std::size_t length) {
    std::vector<std::vector<T>> all;
    for (int kind = 0; kind < SumCases<T>::kKinds; ++kind) all.push_back(cases_.next(length, kind));
    return all;
  }

 private:
  SumCases<T> cases_{11};
};
using Types = testing::Types<float, double, Eigen::half, Eigen::bfloat16>;
TYPED_TEST_SUITE(ReproducibleSumOf, Types);

TYPED_TEST(ReproducibleSumOf, elements_has_the_same_bits_in_a_thousand_orders_and_groupings) {
  for (const auto& elements : this->arrays(600))
    EXPECT_TRUE((is_order_invariant<ReproducibleSum<TypeParam>>(elements, 1000)));
}

TYPED_TEST(ReproducibleSumOf, long_arrays_has_the_same_bits_in_several_orders_and_groupings) {
  for (const auto& elements : this->arrays(30000))
    EXPECT_TRUE((is_order_invariant<ReproducibleSum<TypeParam>>(elements, 5)));
}

TYPED_TEST(ReproducibleSumOf, elements_passes_a_check_that_a_plain_sum_fails) {
  EXPECT_FALSE((is_order_invariant<PlainSum<TypeParam>>(this->arrays(600)[1], 1000)));
  EXPECT_FALSE((is_order_invariant<PlainSum<TypeParam>>(this->arrays(600)[4], 1000)));
}

TYPED_TEST(ReproducibleSumOf, special_values_has_the_same_bits_in_all_orders_and_groupings) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::vector<T>& specials : {std::vector<T>{infinity}, {infinity, -infinity}, {-infinity, nan}, {-nan}}) {
    std::vector<T> elements = this->arrays(200)[0];
    elements.insert(elements.end(), specials.begin(), specials.end());
    EXPECT_TRUE((is_order_invariant<ReproducibleSum<T>>(elements, 200)));
  }
  EXPECT_TRUE((is_order_invariant<ReproducibleSum<T>>(std::vector<T>(100, -T(0)), 20)));
}

TYPED_TEST(ReproducibleSumOf, elements_has_the_same_bits_on_all_vectors_and_numbers_of_threads) {
  using T = TypeParam;
  Team two(2), five(5);
  for (const auto& elements : this->arrays(25000)) {
    const std::span<const T> all(elements);
    const auto expected = bits(sum(SumKernel::reproducible, all));
    for (const std::string& name : simd_names()) {
      const ForcedSimd forced(name);
      EXPECT_EQ(bits(sum(SumKernel::reproducible, all)), expected) << name;
      EXPECT_EQ(bits(sum(SumKernel::reproducible, all, two)), expected) << name;
      EXPECT_EQ(bits(sum(SumKernel::reproducible, all, five)), expected) << name;
    }
  }
}

// The stated bound is half a unit in the last place of the real sum, whatever the condition, sum of magnitudes over
// magnitude of the sum, is. Here it is beyond 1e300 in double; a plain sum has no correct digit.
TEST(ReproducibleSum, ill_conditioned_data_keeps_the_stated_bound) {
  SumCases<double> cases(12);
  std::vector<double> elements;
  RealSum real, magnitude;
  for (int i = 0; i < 5000; ++i) {
    const double x = std::ldexp(1 + static_cast<double>(cases.chance()() >> 12) * 0x1p-52, cases.between(-500, 1000));
    elements.insert(elements.end(), {x, -x});
  }
  elements.push_back(0x1.8p-3);
  elements.push_back(0x1p-60);
  std::shuffle(elements.begin(), elements.end(), cases.chance());
  for (const double x : elements) {
    real.add(x);
    magnitude.add(std::abs(x) / 16384);
  }
  EXPECT_GT(magnitude.rounded<double>() / real.rounded<double>(), 1e295);
  EXPECT_EQ(sum<double>(SumKernel::reproducible, elements), real.rounded<double>());
  EXPECT_GE(std::abs(sum<double>(SumKernel::plain, elements) - 0x1.8p-3), 0x1.8p-3);
}

}  // namespace
}  // namespace petri::kernels
