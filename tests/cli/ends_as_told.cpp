// An MPI program that ends, or does not, in the way that its first argument says.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

int rank_of_this() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

[[noreturn]] void compute_for_ever() {
  for (;;) getpid();
}

// Nobody ends it but SIGKILL, and it has a child of the same kind in a session of its own.
[[noreturn]] void stay_with_a_child() {
  std::signal(SIGTERM, SIG_IGN);
  if (fork() == 0) setsid();
  compute_for_ever();
}

[[noreturn]] void print_for_ever() {
  for (;;) std::puts("the same line, again and again and again and again and again and again and again and again");
}

void swap_calls() {
  if (rank_of_this() == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

// Which of the two messages comes first decides what each receive gets.
void mix_messages() {
  std::array<int, 2> numbers{};
  const int rank = rank_of_this();
  if (rank == 1 || rank == 2) MPI_Send(numbers.data(), rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < 2; ++i)
    MPI_Recv(numbers.data(), 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Completes with libraries that compare no types across ranks.
void mix_types() {
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, rank_of_this() == 0 ? MPI_INT : MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
}

// More events than the smallest ring buffer keeps.
void call_often() {
  constexpr int kCalls = 40'000;
  for (int i = 0; i < kCalls; ++i) MPI_Barrier(MPI_COMM_SELF);
}

// Two receives own the same memory at a time.
void share_a_buffer() {
  int number = 0;
  if (rank_of_this() == 1)
    for (int i = 0; i < 2; ++i) MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank_of_this() != 0) return;
  std::array<MPI_Request, 2> requests{};
  for (MPI_Request& request : requests) MPI_Irecv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "before-init") return 3;
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (way == "stay") stay_with_a_child();
  if (way == "compute") compute_for_ever();
  if (way == "print") print_for_ever();
  if (way == "swap") swap_calls();
  if (way == "mix") mix_messages();
  if (way == "types" || way == "types-often" || way == "types-abort") mix_types();
  if (way == "types-often" || way == "often") call_often();
  if (way == "share") share_a_buffer();
  if ((way == "abort" || way == "types-abort") && rank_of_this() == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (way == "write") std::ofstream("left-behind") << "by the program\n";
  if (way == "arguments") {
    for (int i = 2; i < argc; ++i) std::printf("<%s>\n", argv[i]);
    std::printf("PLAN=%s\n", std::getenv("PLAN") != nullptr ? std::getenv("PLAN") : "");
    std::fflush(stdout);
  }
  MPI_Finalize();
  return way == "status" || way == "arguments" ? 3 : 0;
}
