// Blocking collectives, MPI 4.1 chapter 6.
#include "harness/record/call_forms.hpp"
#include "harness/record/collective_arguments.hpp"

using namespace petri;
using namespace petri::record;

PETRI_MPI(Barrier)(MPI_Comm comm) {
  Call call(Op::barrier, PETRI_SITE, comm);
  describe_barrier(call);
  return run(call, [&] { return real::Barrier(comm); });
}

PETRI_MPI(Bcast)(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  Call call(Op::bcast, PETRI_SITE, comm);
  describe_bcast(call, {buffer, count, type}, root);
  return run(call, [&] { return real::Bcast(buffer, count, type, root, comm); });
}

PETRI_MPI(Reduce)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  Call call(Op::reduce, PETRI_SITE, comm);
  describe_reduce(call, sendbuf, recvbuf, count, type, op, root);
  return run(call, [&] { return real::Reduce(sendbuf, recvbuf, count, type, op, root, comm); });
}

PETRI_MPI(Allreduce)(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Call call(Op::allreduce, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return run(call, [&] { return real::Allreduce(sendbuf, recvbuf, count, type, op, comm); });
}

PETRI_MPI(Scan)(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Call call(Op::scan, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return run(call, [&] { return real::Scan(sendbuf, recvbuf, count, type, op, comm); });
}

PETRI_MPI(Exscan)(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Call call(Op::exscan, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return run(call, [&] { return real::Exscan(sendbuf, recvbuf, count, type, op, comm); });
}

PETRI_MPI(Reduce_scatter_block)
(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Call call(Op::reduce_scatter_block, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, recvcount, type, op, {.blocks = local_size_of(call)});
  return run(call, [&] { return real::Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm); });
}

PETRI_MPI(Reduce_scatter)
(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Call call(Op::reduce_scatter, PETRI_SITE, comm);
  describe_reduce_scatter(call, sendbuf, recvbuf, recvcounts, type, op);
  return run(call, [&] { return real::Reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm); });
}

PETRI_MPI(Gather)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 int root, MPI_Comm comm) {
  Call call(Op::gather, PETRI_SITE, comm);
  describe_gather(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return run(call,
             [&] { return real::Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

PETRI_MPI(Scatter)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 int root, MPI_Comm comm) {
  Call call(Op::scatter, PETRI_SITE, comm);
  describe_scatter(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return run(call,
             [&] { return real::Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

PETRI_MPI(Gatherv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Call call(Op::gatherv, PETRI_SITE, comm);
  describe_gatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype}, root);
  return run(call, [&] {
    return real::Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  });
}

PETRI_MPI(Scatterv)
(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Call call(Op::scatterv, PETRI_SITE, comm);
  describe_scatterv(call, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return run(call, [&] {
    return real::Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}

PETRI_MPI(Allgather)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm) {
  Call call(Op::allgather, PETRI_SITE, comm);
  describe_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, false);
  return run(call, [&] { return real::Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

PETRI_MPI(Alltoall)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm) {
  Call call(Op::alltoall, PETRI_SITE, comm);
  describe_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, true);
  return run(call, [&] { return real::Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

PETRI_MPI(Allgatherv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, MPI_Comm comm) {
  Call call(Op::allgatherv, PETRI_SITE, comm);
  describe_allgatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
  return run(call, [&] {
    return real::Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  });
}

PETRI_MPI(Alltoallv)
(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
 const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  Call call(Op::alltoallv, PETRI_SITE, comm);
  describe_alltoallv(call, {sendbuf, sendcounts, sdispls, sendtype}, {recvbuf, recvcounts, rdispls, recvtype});
  return run(call, [&] {
    return real::Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  });
}

PETRI_MPI(Alltoallw)
(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
 const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  Call call(Op::alltoallw, PETRI_SITE, comm);
  describe_alltoallw<int>(call, {sendbuf, sendcounts, sdispls, sendtypes}, {recvbuf, recvcounts, rdispls, recvtypes});
  return run(call, [&] {
    return real::Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  });
}
