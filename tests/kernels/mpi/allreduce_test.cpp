#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/cpu/exact_sum.hpp"
#include "kernels/cpu/float_environment.hpp"
#include "kernels/mpi/reproducible.hpp"
#include "tests/kernels/mpi/communicators.hpp"

namespace petri {
namespace {

using test::contribution;
using test::Shuffled;

template <class T>
std::vector<T> expected(std::size_t count, int contributors) {
  std::vector<kernels::ExactSum<T>> sums(count);
  for (int index = 0; index < contributors; ++index) {
    const std::vector<T> elements = contribution<T>(count, index);
    for (std::size_t i = 0; i < count; ++i) sums[i].add(elements[i]);
  }
  std::vector<T> rounded(count);
  for (std::size_t i = 0; i < count; ++i) rounded[i] = sums[i].rounded();
  return rounded;
}

// The first place where the bits differ, or the length.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t i = 0;
  while (i < a.size() && std::memcmp(&a[i], &b[i], sizeof(T)) == 0) ++i;
  return i;
}

template <class T>
class Allreduce : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Allreduce, Types);

template <class T>
void expect_exact_sums(std::size_t count, MPI_Comm ranks) {
  const std::vector<T> wanted = expected<T>(count, test::size_of(ranks));
  const std::vector<T> send = contribution<T>(count, test::rank_in(ranks));
  std::vector<T> sent = send, receive(count), in_place = send;
  reproducible_allreduce(std::span<const T>(sent), std::span(receive), ranks);
  EXPECT_EQ(first_difference(receive, wanted), count);
  EXPECT_EQ(first_difference(sent, send), count) << "what is sent stays";
  reproducible_allreduce(std::span(in_place), ranks);
  EXPECT_EQ(first_difference(in_place, wanted), count) << "in place";
}

// Short and long algorithms, borders of vectors, and blocks that are empty on some ranks.
constexpr std::size_t kCounts[] = {0, 1, 17, 1639, 1640, 8191};

TYPED_TEST(Allreduce, HasTheBitsOfTheExactSumAtEverySizeAndOrderOfRanks) {
  for (int size = 1; size <= test::size_of(MPI_COMM_WORLD); ++size)
    for (unsigned seed = 0; seed < 2; ++seed) {
      const Shuffled ranks(size, seed);
      if (!ranks) continue;
      for (const std::size_t count : kCounts) {
        SCOPED_TRACE(testing::Message() << size << " ranks, seed " << seed << ", count " << count);
        expect_exact_sums<TypeParam>(count, ranks.comm);
      }
    }
}

TYPED_TEST(Allreduce, OfMoreTilesThanAreUnderWayAtATime) {
  expect_exact_sums<TypeParam>((std::size_t{2'500} << 10) / sizeof(TypeParam) + 1, MPI_COMM_WORLD);
}

TYPED_TEST(Allreduce, DoesNotDependOnWhoContributesWhat) {
  const int size = test::size_of(MPI_COMM_WORLD), rank = test::rank_in(MPI_COMM_WORLD);
  constexpr std::size_t count = 20'001;
  const std::vector<TypeParam> wanted = expected<TypeParam>(count, size);
  for (int turn = 0; turn < size; ++turn) {
    auto values = contribution<TypeParam>(count, (rank + turn) % size);
    reproducible_allreduce(std::span(values), MPI_COMM_WORLD);
    EXPECT_EQ(first_difference(values, wanted), count) << "turned by " << turn;
  }
}

TYPED_TEST(Allreduce, OfDisjointCommunicatorsAtTheSameTime) {
  const int rank = test::rank_in(MPI_COMM_WORLD);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  for (const std::size_t count : {std::size_t{7}, std::size_t{50'000}}) {
    auto values = contribution<TypeParam>(count, test::rank_in(half));
    reproducible_allreduce(std::span(values), half);
    EXPECT_EQ(first_difference(values, expected<TypeParam>(count, test::size_of(half))), count);
  }
  MPI_Comm_free(&half);
}

TYPED_TEST(Allreduce, KeepsApartFromTheMessagesOfTheProgram) {
  // The program has a message from any source under way that would fit each of the library's.
  const int size = test::size_of(MPI_COMM_WORLD), rank = test::rank_in(MPI_COMM_WORLD);
  std::vector<TypeParam> theirs(50'000);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(theirs.data(), static_cast<int>(theirs.size() * sizeof(TypeParam)), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
            MPI_COMM_WORLD, &request);
  auto values = contribution<TypeParam>(theirs.size(), rank);
  reproducible_allreduce(std::span(values), MPI_COMM_WORLD);
  EXPECT_EQ(first_difference(values, expected<TypeParam>(values.size(), size)), values.size());
  MPI_Send(&rank, sizeof rank, MPI_BYTE, (rank + 1) % size, 3, MPI_COMM_WORLD);
  MPI_Status status;
  MPI_Wait(&request, &status);
  EXPECT_EQ(status.MPI_TAG, 3);
}

TYPED_TEST(Allreduce, CountsSubnormalsWhateverTheThreadHasSet) {
  kernels::FloatEnvironment flushing{kernels::FloatEnvironment::Rounding::upward, true, true};
  constexpr std::size_t count = 33;
  std::vector<TypeParam> values(count, std::numeric_limits<TypeParam>::denorm_min());
  {
    const kernels::ScopedFloatEnvironment scope(flushing);
    reproducible_allreduce(std::span(values), MPI_COMM_WORLD);
  }
  const std::vector<TypeParam> wanted(
      count, static_cast<TypeParam>(test::size_of(MPI_COMM_WORLD)) * std::numeric_limits<TypeParam>::denorm_min());
  EXPECT_EQ(first_difference(values, wanted), count);
}

}  // namespace
}  // namespace petri
