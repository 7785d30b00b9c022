#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "kernels/mpi/reproducible.hpp"
#include "tests/kernels/mpi/communicators.hpp"

namespace petri {
namespace {

int handled = MPI_SUCCESS;
void note_error(MPI_Comm* /*comm*/, int* code, ...) {
  handled = *code;
}

// A copy of the world whose error handler notes what it is told and returns; so it does for MPI_COMM_SELF, meanwhile.
class Errors : public testing::Test {
 protected:
  void SetUp() override {
    handled = MPI_SUCCESS;
    MPI_Comm_create_errhandler(note_error, &handler_);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, handler_);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &former_);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler_);
  }
  void TearDown() override {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, former_);
    MPI_Errhandler_free(&former_);
    MPI_Errhandler_free(&handler_);
    MPI_Comm_free(&comm_);
  }
  // The class of the error that the call throws; that the handler was told of, too.
  template <class Call>
  int error_class_of(const Call& call) {
    try {
      call();
    } catch (const MpiError& error) {
      EXPECT_EQ(handled, error.code());
      EXPECT_STRNE(error.what(), "");
      int error_class = MPI_SUCCESS;
      MPI_Error_class(error.code(), &error_class);
      return error_class;
    }
    return MPI_SUCCESS;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL, former_ = MPI_ERRHANDLER_NULL;
  std::vector<float> values_ = std::vector<float>(10, 1.0F);
};

TEST_F(Errors, BuffersOfDifferentLength) {
  const std::span<float> all(values_);
  EXPECT_EQ(error_class_of([&] { reproducible_allreduce(all.first(3), all.last(4), comm_); }), MPI_ERR_COUNT);
}

TEST_F(Errors, BuffersThatOverlapInPart) {
  const std::span<float> all(values_);
  EXPECT_EQ(error_class_of([&] { reproducible_allreduce(all.first(6), all.last(6), comm_); }), MPI_ERR_BUFFER);
  EXPECT_EQ(error_class_of([&] { reproducible_allreduce(all.last(6), all.first(6), comm_); }), MPI_ERR_BUFFER);
}

TEST_F(Errors, BuffersSideBySideAreNone) {
  const std::span<float> all(values_);
  EXPECT_EQ(error_class_of([&] { reproducible_allreduce(all.first(5), all.last(5), comm_); }), MPI_SUCCESS);
  EXPECT_EQ(values_[5], static_cast<float>(test::size_of(comm_)));
  EXPECT_EQ(error_class_of([&] { reproducible_allreduce(all.first(5), all.first(5), comm_); }), MPI_SUCCESS);
  EXPECT_EQ(values_[0], static_cast<float>(test::size_of(comm_)));
}

TEST_F(Errors, NoCommunicator) {
  EXPECT_EQ(error_class_of([&] { reproducible_allreduce(std::span(values_), MPI_COMM_NULL); }), MPI_ERR_COMM);
  EXPECT_EQ(error_class_of([&] { reproducible_sum(std::span<const float>(values_), MPI_COMM_NULL); }), MPI_ERR_COMM);
}

TEST_F(Errors, TwoGroups) {
  const int rank = test::rank_in(comm_);
  if (test::size_of(comm_) < 2) GTEST_SKIP() << "two groups need two ranks";
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(comm_, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, comm_, 1 - rank % 2, 0, &between);
  MPI_Comm_set_errhandler(between, handler_);
  EXPECT_EQ(error_class_of([&] { reproducible_allreduce(std::span(values_), between); }), MPI_ERR_COMM);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

TEST_F(Errors, AFreedCommunicatorTakesWhatTheLibraryKeptWithIt) {
  // MPI reuses the handles: a former communicator must not be taken for a later one of another size.
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, test::rank_in(MPI_COMM_WORLD) < 1 + turn % test::size_of(MPI_COMM_WORLD), 0, &part);
    std::vector<double> ones(5, 1.0);
    reproducible_allreduce(std::span(ones), part);
    EXPECT_EQ(ones, std::vector<double>(5, test::size_of(part)));
    MPI_Comm_free(&part);
  }
}

}  // namespace
}  // namespace petri
