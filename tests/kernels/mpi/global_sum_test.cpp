#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "kernels/cpu/exact_sum.hpp"
#include "kernels/mpi/reproducible.hpp"
#include "tests/kernels/mpi/communicators.hpp"

namespace petri {
namespace {

using test::Shuffled;

// Data whose sum is far smaller than its terms, without the special values of a contribution.
template <class T>
std::vector<T> data(std::size_t count) {
  std::mt19937_64 chance(11);
  std::normal_distribution<T> normal;
  std::vector<T> elements(count);
  for (std::size_t i = 0; i < count; ++i) elements[i] = std::ldexp(normal(chance), static_cast<int>(i % 60));
  return elements;
}

// The share of one rank: cut at places drawn by `seed`, so that some ranks have much and some nothing.
template <class T>
std::span<const T> share_of(const std::vector<T>& all, MPI_Comm comm, unsigned seed) {
  std::mt19937 chance(seed);
  std::vector<std::size_t> cuts(static_cast<std::size_t>(test::size_of(comm)) + 1, 0);
  for (std::size_t& cut : cuts) cut = chance() % (all.size() + 1);
  cuts.front() = 0;
  cuts.back() = all.size();
  std::sort(cuts.begin(), cuts.end());
  const auto rank = static_cast<std::size_t>(test::rank_in(comm));
  return std::span(all).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
class GlobalSum : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(GlobalSum, Types);

TYPED_TEST(GlobalSum, IsTheSameForEveryDecomposition) {
  const std::vector<TypeParam> all = data<TypeParam>(50'000);
  kernels::ExactSum<TypeParam> exact;
  exact.add(all);
  for (int size = 1; size <= test::size_of(MPI_COMM_WORLD); ++size)
    for (unsigned seed = 0; seed < 5; ++seed) {
      const Shuffled ranks(size, seed);
      if (!ranks) continue;
      const TypeParam sum = reproducible_sum(share_of(all, ranks.comm, seed), ranks.comm);
      EXPECT_TRUE(same_bits(sum, exact.rounded())) << size << " ranks, seed " << seed << ": " << sum;
    }
}

TYPED_TEST(GlobalSum, OfNothingAndOfSpecialValues) {
  using Limits = std::numeric_limits<TypeParam>;
  const auto sum_of = [](std::vector<TypeParam> mine) {
    return reproducible_sum(std::span<const TypeParam>(mine), MPI_COMM_WORLD);
  };
  const bool first = test::rank_in(MPI_COMM_WORLD) == 0;
  const bool alone = test::size_of(MPI_COMM_WORLD) == 1;
  EXPECT_TRUE(same_bits(sum_of({}), TypeParam(0)));
  EXPECT_TRUE(same_bits(sum_of({-TypeParam(0)}), -TypeParam(0)));
  EXPECT_TRUE(same_bits(sum_of({first ? TypeParam(0) : -TypeParam(0)}), TypeParam(0)));
  EXPECT_EQ(sum_of({first ? Limits::infinity() : TypeParam(1)}), Limits::infinity());
  EXPECT_TRUE(same_bits(sum_of({first ? -Limits::quiet_NaN() : TypeParam(1)}), Limits::quiet_NaN()));
  if (!alone) {
    EXPECT_TRUE(same_bits(sum_of({first ? Limits::infinity() : -Limits::infinity()}), Limits::quiet_NaN()));
  }
  // No overflow on the way.
  EXPECT_EQ(sum_of({Limits::max(), Limits::max(), -Limits::max(), -Limits::max()}), TypeParam(0));
}

TYPED_TEST(GlobalSum, AsAnOperationOfOtherCollectives) {
  const int rank = test::rank_in(MPI_COMM_WORLD);
  const std::vector<TypeParam> all = data<TypeParam>(1000);
  using Sum = ReproducibleSum<TypeParam>;
  std::vector<Sum> mine(3), prefix(3);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto share = share_of(all, MPI_COMM_WORLD, static_cast<unsigned>(i));
    mine[i].add(share.first(share.size() / 2));
    mine[i].add(share.last(share.size() - share.size() / 2));
  }
  MPI_Scan(mine.data(), prefix.data(), 3, Sum::datatype(), Sum::operation(), MPI_COMM_WORLD);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto share = share_of(all, MPI_COMM_WORLD, static_cast<unsigned>(i));
    Sum wanted;
    wanted.add(std::span(all).first(static_cast<std::size_t>(share.data() + share.size() - all.data())));
    EXPECT_EQ(prefix[i], wanted) << "rank " << rank;
    EXPECT_TRUE(same_bits(prefix[i].rounded(), wanted.rounded()));
  }
}

}  // namespace
}  // namespace petri
