// A grid of ranks, four wide, sums along its rows and columns. On the border between two blocks, ranks 1 and 4 take
// their column first: with ranks 0 and 5 they close a cycle over two rows and two columns. Wants 12 ranks.
#include <array>

#include "tests/programs/programs.hpp"

namespace {

constexpr int kColumns = 4;

void add_along(MPI_Comm line, std::array<double, 256>& values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, line);
}

}  // namespace

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  const int row_index = job.rank / kColumns;
  const int column_index = job.rank % kColumns;
  MPI_Comm row = MPI_COMM_NULL, column = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, row_index, job.rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, column_index, job.rank, &column);

  std::array<double, 256> values{};
  const bool on_border = row_index + column_index == 1;
  for (int step = 0; step < 20; ++step) {
    programs::work(2000);
    // The border's exchange is due every tenth step.
    const bool column_first = !job.fixed && on_border && step % 10 == 9;
    add_along(column_first ? column : row, values);
    add_along(column_first ? row : column, values);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  return 0;
}
