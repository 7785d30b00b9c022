// All sums of one array beside each other: special values, error bounds, threads, vectors.
#include "kernels/cpu/sums.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "kernels/cpu/simd.hpp"
#include "tests/kernels/sum_cases.hpp"

namespace petri::kernels {
namespace {

constexpr SumKernel kAll[] = {SumKernel::plain,        SumKernel::pairwise, SumKernel::compensated, SumKernel::exact,
                              SumKernel::reproducible, SumKernel::atomic,   SumKernel::arrival};

template <class T>
class SumOf : public testing::Test {};
using Types = testing::Types<float, double, Eigen::half, Eigen::bfloat16>;
TYPED_TEST_SUITE(SumOf, Types);

TYPED_TEST(SumOf, small_integers_is_exact_in_any_order) {
  using T = TypeParam;
  Team alone, three(3);
  for (const std::size_t length : {1U, 2U, 3U, 31U, 100U, 4097U, 12289U}) {
    std::vector<T> elements(length + 1);
    float expected = 0;
    for (std::size_t i = 1; i <= length; ++i) {
      elements[i] = T(static_cast<float>(i % 5) - (i % 2 == 0 ? 2.0F : 1.0F));
      expected += static_cast<float>(elements[i]);
    }
    for (const SumKernel kernel : kAll)
      for (Team* team : {&alone, &three})
        EXPECT_EQ(bits(sum(kernel, std::span<const T>(elements).subspan(1), *team)), bits(T(expected)))
            << name_of(kernel) << " of " << length << " by " << team->size();
  }
}

TYPED_TEST(SumOf, zeros_and_special_values_is_that_of_ieee_additions) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity(), one = T(1), minus_zero = -T(0);
  Team alone, three(3);
  for (const SumKernel kernel : kAll)
    for (Team* team : {&alone, &three}) {
      const auto of = [&](std::vector<T> elements) { return sum<T>(kernel, elements, *team); };
      EXPECT_EQ(bits(of({})), bits(T(0))) << name_of(kernel);
      EXPECT_EQ(bits(of(std::vector<T>(9000, minus_zero))), bits(minus_zero)) << name_of(kernel);
      EXPECT_EQ(bits(of({minus_zero, T(0)})), bits(T(0))) << name_of(kernel);
      EXPECT_EQ(bits(of({one, -infinity, one})), bits(-infinity)) << name_of(kernel);
      EXPECT_TRUE((Eigen::numext::isnan)(of({infinity, one, -infinity}))) << name_of(kernel);
      EXPECT_TRUE((Eigen::numext::isnan)(of({one, std::numeric_limits<T>::quiet_NaN()}))) << name_of(kernel);
    }
}

// Higham, "Accuracy and stability of numerical algorithms", 2nd edition, chapter 4: (4.4), (4.6) and (4.8).
template <class T>
double bound_of(SumKernel kernel, double count, double sum, double magnitudes) {
  const double u = std::numeric_limits<T>::epsilon() / 2;
  switch (kernel) {
    case SumKernel::exact:
    case SumKernel::reproducible: return u * sum;
    case SumKernel::compensated: return 2 * u * sum + 2 * count * u * u * magnitudes * count;
    case SumKernel::pairwise: return (1024 * static_cast<double>(sizeof(T)) / 256 + 20) * u * magnitudes;
    default: return count * u * magnitudes;
  }
}

template <class T>
void expect_within_bounds(Team& team) {
  SumCases<T> cases(21);
  for (int kind : {1, 4}) {
    const std::vector<T> elements = cases.next(50000, kind);
    RealSum real, magnitudes;
    for (const T x : elements) {
      real.add(x);
      magnitudes.add(std::abs(x));
    }
    for (const SumKernel kernel : kAll) {
      RealSum error;
      error.add(sum<T>(kernel, elements, team));
      for (const T x : elements) error.add(-static_cast<double>(x));
      EXPECT_LE(std::abs(error.rounded<double>()),
                bound_of<T>(kernel, 50000, std::abs(real.rounded<double>()), magnitudes.rounded<double>()))
          << name_of(kernel);
    }
  }
}

TEST(Sum, is_within_its_error_bound) {
  Team alone, two(2);
  for (Team* team : {&alone, &two}) {
    expect_within_bounds<float>(*team);
    expect_within_bounds<double>(*team);
  }
}

TEST(Sum, compensated_recovers_what_a_plain_one_loses) {
  const std::vector<double> elements{1e16, 1, -1e16};
  EXPECT_EQ(sum<double>(SumKernel::compensated, elements), 1);
  EXPECT_EQ(sum<double>(SumKernel::exact, elements), 1);
}

TEST(Sum, plain_one_overflows_on_the_way_where_the_exact_one_does_not) {
  constexpr float largest = std::numeric_limits<float>::max();
  std::vector<float> elements(4096, largest);
  elements.insert(elements.end(), 4096, -largest);
  EXPECT_FALSE(std::isfinite(sum<float>(SumKernel::plain, elements)));
  EXPECT_EQ(sum<float>(SumKernel::exact, elements), 0);
}

// The plain sum's lanes are as wide as the vectors: with a hundred arrays, some sum differs.
TEST(Sum, depends_on_the_width_of_vectors_only_where_it_is_plain) {
  if (simd_names().size() < 2) GTEST_SKIP() << "one kind of vector instructions only";
  SumCases<float> cases(22);
  bool plain_differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::vector<float> elements = cases.next(5000, 1);
    for (const SumKernel kernel : {SumKernel::plain, SumKernel::pairwise, SumKernel::compensated}) {
      std::set<std::uint32_t> found;
      for (const std::string& name : simd_names()) {
        const ForcedSimd forced(name);
        found.insert(bits(sum<float>(kernel, elements)));
      }
      if (kernel == SumKernel::plain)
        plain_differs = plain_differs || found.size() > 1;
      else
        EXPECT_EQ(found.size(), 1U) << name_of(kernel);
    }
  }
  EXPECT_TRUE(plain_differs);
}

TEST(Sum, rounded_ones_follow_the_callers_flush_to_zero_on_all_threads) {
  const std::vector<double> subnormals(20000, std::numeric_limits<double>::denorm_min());
  Team three(3);
  EXPECT_EQ(bits(sum<double>(SumKernel::plain, subnormals, three)), 20000U);
  const ScopedFloatEnvironment scope({FloatEnvironment::Rounding::to_nearest, true, true});
  const auto plain = bits(sum<double>(SumKernel::plain, subnormals, three));
  const auto exact = bits(sum<double>(SumKernel::exact, subnormals, three));
  EXPECT_EQ(plain, 0U);
  EXPECT_EQ(exact, 20000U);
}

TEST(Sum, integers_wrap) {
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  Team two(2);
  for (const SumKernel kernel : kAll) {
    EXPECT_EQ(sum<std::int32_t>(kernel, std::vector<std::int32_t>{largest, 1, 5}, two),
              std::numeric_limits<std::int32_t>::min() + 5);
    EXPECT_EQ(sum<std::int64_t>(kernel, std::vector<std::int64_t>{-3, 1}, two), -2);
  }
}

TEST(Sum, is_found_by_names) {
  Team alone;
  const std::vector<float> elements{1, 2, 3.5F};
  float result = 0;
  for (const SumKernel kernel : kAll) {
    EXPECT_EQ(sum_kernel_named(name_of(kernel)), kernel);
    EXPECT_TRUE(sum(kernel, ElementType::float32, elements.data(), 3, alone, &result));
    EXPECT_EQ(result, 6.5F);
  }
  EXPECT_FALSE(sum(SumKernel::plain, ElementType::complex64, elements.data(), 1, alone, &result));
  EXPECT_FALSE(sum_kernel_named("fastest"));
}

TEST(Simd, unknown_kind_is_an_error) {
  EXPECT_THROW(ForcedSimd("MMX"), std::invalid_argument);
}

}  // namespace
}  // namespace petri::kernels
