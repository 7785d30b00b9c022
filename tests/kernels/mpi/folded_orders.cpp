// Orders of many logical ranks, computed by however many processes mpirun started: same hash on any number of them.
//
// Usage: mpirun -np P folded_orders [RANKS [COUNT [GENERATOR]]]   (1024 logical ranks, 1,000,000 float32, log-uniform)
//
// One line for each order: its name, the hash of the result's bytes, seconds, and the peak memory of the process that
// had the most, in MiB, all that MPI takes included, with what it was before the first order.
#include <mpi.h>
#include <sys/resource.h>
#include <xxhash.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "kernels/cpu/payload.hpp"
#include "kernels/mpi/folded.hpp"
#include "kernels/order/textbook.hpp"

namespace {

using petri::ElementType;
using petri::order::Order;

// Of the process that had the most.
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  double mine = static_cast<double>(usage.ru_maxrss) / 1024, most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

void evaluate(const Order& order, petri::Generator generator, bool first_process) {
  const petri::Payload payload{{}, generator, 1, 1.0};
  const auto contribution = [&](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
    petri::kernels::write_payload(payload, rank, ElementType::float32, first, count, out);
  };
  const double before = peak_mib();
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(hash.get());
  const double start = MPI_Wtime();
  petri::mpi::evaluate_folded(order, *petri::kernels::arithmetic(ElementType::float32, petri::ReduceOp::sum),
                              MPI_COMM_WORLD, contribution,
                              [&](std::uint64_t /*first*/, std::size_t count, const std::byte* elements) {
                                XXH3_64bits_update(hash.get(), elements, count * sizeof(float));
                              });
  const double seconds = MPI_Wtime() - start;
  const double after = peak_mib();
  if (first_process)
    std::printf("%-20s %016llx  %7.2f s  peak %.0f MiB (before: %.0f)\n", order.name.c_str(),
                static_cast<unsigned long long>(XXH3_64bits_digest(hash.get())), seconds, after, before);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  petri::order::Shape shape;
  shape.ranks = argc > 1 ? std::stoi(argv[1]) : 1024;
  shape.count = argc > 2 ? std::stoull(argv[2]) : 1'000'000;
  const auto generator = petri::generator_named(argc > 3 ? argv[3] : "log-uniform");
  if (!generator) MPI_Abort(MPI_COMM_WORLD, 2);
  for (const Order& order :
       {petri::order::ring(shape), petri::order::double_binary_tree(shape), petri::order::recursive_doubling(shape)})
    evaluate(order, *generator, rank == 0);
  MPI_Finalize();
}
