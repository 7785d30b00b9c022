// Smooths a bar of rows that are shared out over the ranks: bar --rows N
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kSteps = 30;
constexpr int kReport = 10;  // steps

double relax(std::vector<double>& rows) {
  double change = 0;
  for (double& row : rows) {
    const double relaxed = (row + 1) / 2;
    change = std::max(change, std::abs(relaxed - row));
    row = relaxed;
  }
  return change;
}

void report(const std::vector<double>& rows, int step, int rank) {
  if (rows.empty()) return;
  double mine = 0;
  for (const double row : rows) mine += row;
  double sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("step %d: sum %.3f\n", step, sum);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3 || std::strcmp(argv[1], "--rows") != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const int total = std::atoi(argv[2]);
  const int share = (total + size - 1) / size;
  std::vector<double> rows(static_cast<std::size_t>(std::clamp(total - rank * share, 0, share)));
  for (int step = 1; step <= kSteps; ++step) {
    double change = relax(rows);
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (step % kReport == 0) report(rows, step, rank);
  }
  MPI_Finalize();
}
