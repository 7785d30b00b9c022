// Programs with point-to-point calls, collectives and communicators, and the main function of all of them.
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/record/operations.hpp"

using petri::test::Program;

namespace {

int rank, size;

void blocking_messages() {
  int data[4] = {rank, rank, rank, rank};
  if (rank == 0) {
    MPI_Send(data, 4, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Ssend(data, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    std::vector<char> room(1024);
    MPI_Buffer_attach(room.data(), 1024);
    MPI_Bsend(data, 2, MPI_INT, 1, 7, MPI_COMM_WORLD);
    void* detached = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&detached, &bytes);
    MPI_Send(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
    MPI_Recv(data, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
    MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  double mine = rank, theirs = 0;
  const int other = 1 - rank;
  MPI_Sendrecv(&mine, 1, MPI_DOUBLE, other, 3, &theirs, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(&mine, 1, MPI_DOUBLE, other, 4, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The second names of MPI's functions are the program's as well: Fortran bindings call them.
void profiling_names() {
  int data = rank;
  if (rank == 0) PMPI_Send(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  if (rank == 1) PMPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  PMPI_Barrier(MPI_COMM_WORLD);
}

void nonblocking_messages() {
  int data[3] = {0, 0, 0};
  MPI_Request requests[3];
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) MPI_Irecv(&data[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int i = 0; i < 3; ++i) MPI_Isend(&data[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
}

// Requests that the program moves about, more of them than are kept on the stack, all complete at once.
void many_requests() {
  std::vector<int> data(40);
  std::vector<MPI_Request> requests;
  for (int i = 0; i < 40; ++i) {
    MPI_Request one;
    if (rank == 0) {
      MPI_Isend(&data[static_cast<std::size_t>(i)], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &one);
    } else {
      MPI_Irecv(&data[static_cast<std::size_t>(i)], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &one);
    }
    requests.push_back(one);
  }
  MPI_Waitall(40, requests.data(), MPI_STATUSES_IGNORE);
}

void some_and_any() {
  int data[2] = {0, 0};
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Irecv(&data[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&data[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
    int index = 0, done = 0, indices[2];
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);  // tag 2 comes first and alone
    MPI_Send(nullptr, 0, MPI_INT, 1, 9, MPI_COMM_WORLD);
    MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
    MPI_Irecv(&data[0], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(&data[0], 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
  } else {
    MPI_Send(data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Recv(nullptr, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
}

// Rank 0 polls two things in turn until rank 1, which waits for a go, sends.
// One receive is cancelled before anything comes for it, another one when its message is there.
void cancels() {
  int data[2] = {0, 0};
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(&data[0], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Probe(1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&data[1], 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(data, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  }
}

void polls() {
  int data = 0, flag = 0;
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 1000; ++i) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
}

void matched_probes() {
  int data = 0;
  if (rank == 0) {
    MPI_Send(&data, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    MPI_Send(&data, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
  } else {
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Request request;
    MPI_Imrecv(&data, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void collectives() {
  const auto n = static_cast<std::size_t>(size);
  std::vector<int> one(1, rank), all(n), all_out(n), ones(n, 1), places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<int>(i);
  std::vector<MPI_Datatype> types(n, MPI_INT);
  const MPI_Comm w = MPI_COMM_WORLD;
  MPI_Barrier(w);
  MPI_Bcast(one.data(), 1, MPI_INT, 1, w);
  MPI_Reduce(one.data(), all.data(), 1, MPI_INT, MPI_SUM, 0, w);
  MPI_Allreduce(MPI_IN_PLACE, one.data(), 1, MPI_INT, MPI_MAX, w);
  MPI_Gather(one.data(), 1, MPI_INT, all.data(), 1, MPI_INT, 0, w);
  MPI_Gatherv(one.data(), 1, MPI_INT, all.data(), ones.data(), places.data(), MPI_INT, 0, w);
  MPI_Scatter(all.data(), 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : one.data(), 1, MPI_INT, 0, w);
  MPI_Scatterv(all.data(), ones.data(), places.data(), MPI_INT, one.data(), 1, MPI_INT, 0, w);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 1, MPI_INT, w);
  MPI_Allgatherv(one.data(), 1, MPI_INT, all.data(), ones.data(), places.data(), MPI_INT, w);
  MPI_Alltoall(all.data(), 4, MPI_BYTE, all_out.data(), 1, MPI_INT, w);
  MPI_Alltoallv(all.data(), ones.data(), places.data(), MPI_INT, all_out.data(), ones.data(), places.data(), MPI_INT,
                w);
  std::vector<int> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<int>(4 * i);
  MPI_Alltoallw(all.data(), ones.data(), bytes.data(), types.data(), all_out.data(), ones.data(), bytes.data(),
                types.data(), w);
  MPI_Reduce_scatter(all.data(), all_out.data(), ones.data(), MPI_INT, MPI_SUM, w);
  MPI_Reduce_scatter_block(all.data(), all_out.data(), 1, MPI_INT, MPI_SUM, w);
  MPI_Scan(one.data(), all.data(), 1, MPI_INT, MPI_SUM, w);
  MPI_Exscan(one.data(), all.data(), 1, MPI_INT, MPI_SUM, w);
}

void nonblocking_collectives() {
  const auto n = static_cast<std::size_t>(size);
  std::vector<int> one(1, rank), two(1), ones(n, 1), places(n), bytes(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<int>(i), bytes[i] = static_cast<int>(4 * i);
  std::vector<std::vector<int>> out(17, std::vector<int>(n));
  std::vector<int> in(n);
  std::vector<MPI_Datatype> types(n, MPI_INT);
  const MPI_Comm w = MPI_COMM_WORLD;
  MPI_Request r[17];
  MPI_Ibarrier(w, &r[0]);
  MPI_Ibcast(two.data(), 1, MPI_INT, 1, w, &r[1]);
  MPI_Ireduce(one.data(), out[2].data(), 1, MPI_INT, MPI_SUM, 0, w, &r[2]);
  MPI_Iallreduce(one.data(), out[3].data(), 1, MPI_INT, MPI_MAX, w, &r[3]);
  MPI_Igather(one.data(), 1, MPI_INT, out[4].data(), 1, MPI_INT, 0, w, &r[4]);
  MPI_Igatherv(one.data(), 1, MPI_INT, out[5].data(), ones.data(), places.data(), MPI_INT, 0, w, &r[5]);
  MPI_Iscatter(in.data(), 1, MPI_INT, out[6].data(), 1, MPI_INT, 0, w, &r[6]);
  MPI_Iscatterv(in.data(), ones.data(), places.data(), MPI_INT, out[7].data(), 1, MPI_INT, 0, w, &r[7]);
  MPI_Iallgather(one.data(), 1, MPI_INT, out[8].data(), 1, MPI_INT, w, &r[8]);
  MPI_Iallgatherv(one.data(), 1, MPI_INT, out[9].data(), ones.data(), places.data(), MPI_INT, w, &r[9]);
  MPI_Ialltoall(in.data(), 1, MPI_INT, out[10].data(), 1, MPI_INT, w, &r[10]);
  MPI_Ialltoallv(in.data(), ones.data(), places.data(), MPI_INT, out[11].data(), ones.data(), places.data(), MPI_INT, w,
                 &r[11]);
  MPI_Ialltoallw(in.data(), ones.data(), bytes.data(), types.data(), out[12].data(), ones.data(), bytes.data(),
                 types.data(), w, &r[12]);
  MPI_Ireduce_scatter(in.data(), out[13].data(), ones.data(), MPI_INT, MPI_SUM, w, &r[13]);
  MPI_Ireduce_scatter_block(in.data(), out[14].data(), 1, MPI_INT, MPI_SUM, w, &r[14]);
  MPI_Iscan(one.data(), out[15].data(), 1, MPI_INT, MPI_SUM, w, &r[15]);
  MPI_Iexscan(one.data(), out[16].data(), 1, MPI_INT, MPI_SUM, w, &r[16]);
  MPI_Waitall(17, r, MPI_STATUSES_IGNORE);
}

void communicators() {
  MPI_Comm dup, split, idup, group_comm, row;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_split(dup, rank % 2, rank, &split);
  MPI_Barrier(split);
  MPI_Request request;
  MPI_Comm_idup(split, &idup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(idup);
  MPI_Group world_group, pair;
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  const int members[2] = {rank / 2 * 2, rank / 2 * 2 + 1};
  MPI_Group_incl(world_group, 2, members, &pair);
  MPI_Comm_create_group(MPI_COMM_WORLD, pair, 7, &group_comm);
  MPI_Barrier(group_comm);
  MPI_Comm_create(MPI_COMM_WORLD, pair, &row);
  MPI_Barrier(row);
  MPI_Comm_free(&row);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &row);
  MPI_Comm_dup(MPI_COMM_SELF, &row);
  MPI_Barrier(row);
}

void persistent_requests() {
  int data[2] = {rank, rank};
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Send_init(&data[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend_init(&data[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
  } else {
    MPI_Recv_init(&data[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&data[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
  }
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);  // inactive: returns at once
  MPI_Start(&requests[0]);
  int index = 0;
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

void two_threads() {
  std::thread([] {
    int data = 0;
    MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF);
  }).join();
  MPI_Barrier(MPI_COMM_WORLD);
}

void one_thread_that_did_not_initialize() {
  std::thread([] { MPI_Barrier(MPI_COMM_WORLD); }).join();
}

void derived_types() {
  MPI_Datatype column, mixed;
  MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, parts, &mixed);
  MPI_Type_commit(&mixed);
  double data[64] = {};
  MPI_Bcast(data, 2, column, 0, MPI_COMM_WORLD);
  MPI_Bcast(data, 2, mixed, 0, MPI_COMM_WORLD);
  MPI_Type_free(&column);
  MPI_Type_contiguous(7, MPI_FLOAT, &column);  // may get the freed handle
  MPI_Type_commit(&column);
  MPI_Bcast(data, 1, column, 0, MPI_COMM_WORLD);
  MPI_Op op;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
}

void errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int data[8] = {};
  if (rank == 0) {
    MPI_Send(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// The library ends the process within these.
void fatal_error() {
  int number = 0;
  if (rank == 1) MPI_Send(&number, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

void fatal_error_in_a_poll() {
  int there = 0;
  if (rank == 1) MPI_Iprobe(0, -9, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

void fatal_error_elsewhere() {
  if (rank == 1) MPI_Comm_size(MPI_COMM_NULL, &size);
  MPI_Barrier(MPI_COMM_WORLD);
}

void digests() {
  double data[3] = {1.0, -2.0, 0.5}, sum[3] = {};
  MPI_Allreduce(data, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request request;
  if (rank == 0) {
    MPI_Send(data, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Irecv(sum, 3, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void exits() {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) std::exit(7);
  MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void aborts() {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Enough events for a ring of one MiB to come round several times; a known last one.
void many_events() {
  int data = 0;
  for (int i = 0; i < 50000; ++i) MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

// Runs until it is killed; after each call it writes the number of its calls to a file that outlives it.
void endless() {
  const char* folder = std::getenv("PETRI_TEST_COUNTERS");
  if (folder == nullptr) return;
  const std::string path = std::string(folder) + "/counter." + std::to_string(rank);
  const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 8) != 0) return;
  void* mapped = mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return;
  auto* counter = static_cast<volatile std::uint64_t*>(mapped);
  for (std::uint64_t calls = 1;; ++calls) {
    int data = 0;
    MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *counter = calls;
  }
}

// Head to head sends: they pass where MPI buffers them.
void head_to_head() {
  if (std::getenv("PETRI_STRICT") != nullptr) petri::test::end_soon();
  std::vector<char> data(8);
  MPI_Send(data.data(), 8, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(data.data(), 8, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

constexpr Program kPrograms[] = {
    {"blocking_messages", blocking_messages},
    {"profiling_names", profiling_names},
    {"nonblocking_messages", nonblocking_messages},
    {"many_requests", many_requests},
    {"some_and_any", some_and_any},
    {"cancels", cancels},
    {"polls", polls},
    {"matched_probes", matched_probes},
    {"collectives", collectives},
    {"nonblocking_collectives", nonblocking_collectives},
    {"communicators", communicators},
    {"persistent_requests", persistent_requests},
    {"two_threads", two_threads},
    {"one_thread_that_did_not_initialize", one_thread_that_did_not_initialize},
    {"derived_types", derived_types},
    {"errors", errors},
    {"fatal_error", fatal_error},
    {"fatal_error_in_a_poll", fatal_error_in_a_poll},
    {"fatal_error_elsewhere", fatal_error_elsewhere},
    {"digests", digests},
    {"exits", exits},
    {"aborts", aborts},
    {"many_events", many_events},
    {"endless", endless},
    {"head_to_head", head_to_head},
};

std::vector<Program>& all_programs() {
  static std::vector<Program> programs;
  return programs;
}

const petri::test::Programs own(kPrograms);

}  // namespace

petri::test::Programs::Programs(std::span<const Program> programs) {
  all_programs().insert(all_programs().end(), programs.begin(), programs.end());
}

void petri::test::end_soon() {
  alarm(1);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::strcmp(argv[1], "never_inits") == 0) return 0;
  int provided = MPI_THREAD_SINGLE;
  if (std::strstr(argv[1], "thread") != nullptr)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const Program& program : all_programs())
    if (std::strcmp(argv[1], program.name) == 0) program.run();
  MPI_Finalize();
  return 0;
}
