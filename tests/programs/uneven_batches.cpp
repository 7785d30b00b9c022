// Each rank overlaps the reduction of its gradients with the next batch. The last rank has one batch less and goes on
// to finalize, where it waits for the others, which wait in a reduction that it never starts. The twin joins with
// zeros.
#include <array>

#include "tests/programs/programs.hpp"

namespace {

constexpr int kGradients = 128;

int batches_of(const programs::Job& job) {
  constexpr int kSamples = 905, kBatch = 25;  // the rounding leaves the last rank the shortest shard
  const int share = (kSamples + job.size - 1) / job.size;
  const int first = job.rank * share;
  const int mine = first + share > kSamples ? kSamples - first : share;
  return (mine + kBatch - 1) / kBatch;
}

}  // namespace

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  const int mine = batches_of(job);
  int rounds = mine;
  if (job.fixed) MPI_Allreduce(&mine, &rounds, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);

  std::array<float, kGradients> gradient{}, sum{};
  for (int batch = 0; batch < rounds; ++batch) {
    gradient.fill(batch < mine ? 1.0F : 0.0F);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(gradient.data(), sum.data(), kGradients, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    programs::work(5000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return 0;
}
