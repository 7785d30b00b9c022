// Nonblocking collectives, MPI 4.1 section 6.12.
#include "harness/record/call_forms.hpp"
#include "harness/record/collective_arguments.hpp"

using namespace petri;
using namespace petri::record;

PETRI_MPI(Ibarrier)(MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ibarrier, PETRI_SITE, comm);
  describe_barrier(call);
  return start(call, request, [&] { return real::Ibarrier(comm, request); });
}

PETRI_MPI(Ibcast)(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ibcast, PETRI_SITE, comm);
  describe_bcast(call, {buffer, count, type}, root);
  return start(call, request, [&] { return real::Ibcast(buffer, count, type, root, comm, request); });
}

PETRI_MPI(Ireduce)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
 MPI_Request* request) {
  Call call(Op::ireduce, PETRI_SITE, comm);
  describe_reduce(call, sendbuf, recvbuf, count, type, op, root);
  return start(call, request, [&] { return real::Ireduce(sendbuf, recvbuf, count, type, op, root, comm, request); });
}

PETRI_MPI(Iallreduce)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::iallreduce, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return start(call, request, [&] { return real::Iallreduce(sendbuf, recvbuf, count, type, op, comm, request); });
}

PETRI_MPI(Iscan)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::iscan, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return start(call, request, [&] { return real::Iscan(sendbuf, recvbuf, count, type, op, comm, request); });
}

PETRI_MPI(Iexscan)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::iexscan, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return start(call, request, [&] { return real::Iexscan(sendbuf, recvbuf, count, type, op, comm, request); });
}

PETRI_MPI(Ireduce_scatter_block)
(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ireduce_scatter_block, PETRI_SITE, comm);
  describe_reduction(call, sendbuf, recvbuf, recvcount, type, op, {.blocks = local_size_of(call)});
  return start(call, request,
               [&] { return real::Ireduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm, request); });
}

PETRI_MPI(Ireduce_scatter)
(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
 MPI_Request* request) {
  Call call(Op::ireduce_scatter, PETRI_SITE, comm);
  describe_reduce_scatter(call, sendbuf, recvbuf, recvcounts, type, op);
  return start(call, request,
               [&] { return real::Ireduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, request); });
}

PETRI_MPI(Igather)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 int root, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::igather, PETRI_SITE, comm);
  describe_gather(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return start(call, request, [&] {
    return real::Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  });
}

PETRI_MPI(Iscatter)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 int root, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::iscatter, PETRI_SITE, comm);
  describe_scatter(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return start(call, request, [&] {
    return real::Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  });
}

PETRI_MPI(Igatherv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::igatherv, PETRI_SITE, comm);
  describe_gatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype}, root);
  return start(call, request, [&] {
    return real::Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
  });
}

PETRI_MPI(Iscatterv)
(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::iscatterv, PETRI_SITE, comm);
  describe_scatterv(call, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return start(call, request, [&] {
    return real::Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  });
}

PETRI_MPI(Iallgather)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Request* request) {
  Call call(Op::iallgather, PETRI_SITE, comm);
  describe_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, false);
  return start(call, request, [&] {
    return real::Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  });
}

PETRI_MPI(Ialltoall)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ialltoall, PETRI_SITE, comm);
  describe_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, true);
  return start(call, request, [&] {
    return real::Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  });
}

PETRI_MPI(Iallgatherv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::iallgatherv, PETRI_SITE, comm);
  describe_allgatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
  return start(call, request, [&] {
    return real::Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  });
}

PETRI_MPI(Ialltoallv)
(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
 const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ialltoallv, PETRI_SITE, comm);
  describe_alltoallv(call, {sendbuf, sendcounts, sdispls, sendtype}, {recvbuf, recvcounts, rdispls, recvtype});
  return start(call, request, [&] {
    return real::Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                            request);
  });
}

PETRI_MPI(Ialltoallw)
(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
 const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ialltoallw, PETRI_SITE, comm);
  describe_alltoallw<int>(call, {sendbuf, sendcounts, sdispls, sendtypes}, {recvbuf, recvcounts, rdispls, recvtypes});
  return start(call, request, [&] {
    return real::Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                            request);
  });
}
