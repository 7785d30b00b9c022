// Persistent collectives, MPI 4.1 section 6.13: made together and in the same order by all, started many times.
#include "harness/record/call_forms.hpp"
#include "harness/record/collective_arguments.hpp"
#include "harness/record/real_persistent.hpp"

using namespace petri;
using namespace petri::record;

PETRI_PERSISTENT(Barrier_init)(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::barrier_init, PETRI_SITE, comm);
  call.starts_later();
  describe_barrier(call);
  return initialize(call, request, [&] { return real::Barrier_init(comm, info, request); });
}

PETRI_PERSISTENT(Bcast_init)
(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::bcast_init, PETRI_SITE, comm);
  call.starts_later();
  describe_bcast(call, {buffer, count, type}, root);
  return initialize(call, request, [&] { return real::Bcast_init(buffer, count, type, root, comm, info, request); });
}

PETRI_PERSISTENT(Reduce_init)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::reduce_init, PETRI_SITE, comm);
  call.starts_later();
  describe_reduce(call, sendbuf, recvbuf, count, type, op, root);
  return initialize(call, request,
                    [&] { return real::Reduce_init(sendbuf, recvbuf, count, type, op, root, comm, info, request); });
}

PETRI_PERSISTENT(Allreduce_init)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::allreduce_init, PETRI_SITE, comm);
  call.starts_later();
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return initialize(call, request,
                    [&] { return real::Allreduce_init(sendbuf, recvbuf, count, type, op, comm, info, request); });
}

PETRI_PERSISTENT(Scan_init)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::scan_init, PETRI_SITE, comm);
  call.starts_later();
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return initialize(call, request,
                    [&] { return real::Scan_init(sendbuf, recvbuf, count, type, op, comm, info, request); });
}

PETRI_PERSISTENT(Exscan_init)
(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::exscan_init, PETRI_SITE, comm);
  call.starts_later();
  describe_reduction(call, sendbuf, recvbuf, count, type, op);
  return initialize(call, request,
                    [&] { return real::Exscan_init(sendbuf, recvbuf, count, type, op, comm, info, request); });
}

PETRI_PERSISTENT(Reduce_scatter_block_init)
(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::reduce_scatter_block_init, PETRI_SITE, comm);
  call.starts_later();
  describe_reduction(call, sendbuf, recvbuf, recvcount, type, op, {.blocks = local_size_of(call)});
  return initialize(call, request, [&] {
    return real::Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, type, op, comm, info, request);
  });
}

PETRI_PERSISTENT(Reduce_scatter_init)
(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::reduce_scatter_init, PETRI_SITE, comm);
  call.starts_later();
  describe_reduce_scatter(call, sendbuf, recvbuf, recvcounts, type, op);
  return initialize(call, request, [&] {
    return real::Reduce_scatter_init(sendbuf, recvbuf, recvcounts, type, op, comm, info, request);
  });
}

PETRI_PERSISTENT(Gather_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::gather_init, PETRI_SITE, comm);
  call.starts_later();
  describe_gather(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return initialize(call, request, [&] {
    return real::Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  });
}

PETRI_PERSISTENT(Scatter_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::scatter_init, PETRI_SITE, comm);
  call.starts_later();
  describe_scatter(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return initialize(call, request, [&] {
    return real::Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  });
}

PETRI_PERSISTENT(Gatherv_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::gatherv_init, PETRI_SITE, comm);
  call.starts_later();
  describe_gatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype}, root);
  return initialize(call, request, [&] {
    return real::Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
                              request);
  });
}

PETRI_PERSISTENT(Scatterv_init)
(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::scatterv_init, PETRI_SITE, comm);
  call.starts_later();
  describe_scatterv(call, {sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype}, root);
  return initialize(call, request, [&] {
    return real::Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                               request);
  });
}

PETRI_PERSISTENT(Allgather_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::allgather_init, PETRI_SITE, comm);
  call.starts_later();
  describe_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, false);
  return initialize(call, request, [&] {
    return real::Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  });
}

PETRI_PERSISTENT(Alltoall_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::alltoall_init, PETRI_SITE, comm);
  call.starts_later();
  describe_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, true);
  return initialize(call, request, [&] {
    return real::Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  });
}

PETRI_PERSISTENT(Allgatherv_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::allgatherv_init, PETRI_SITE, comm);
  call.starts_later();
  describe_allgatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
  return initialize(call, request, [&] {
    return real::Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                                 request);
  });
}

PETRI_PERSISTENT(Alltoallv_init)
(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
 const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::alltoallv_init, PETRI_SITE, comm);
  call.starts_later();
  describe_alltoallv(call, {sendbuf, sendcounts, sdispls, sendtype}, {recvbuf, recvcounts, rdispls, recvtype});
  return initialize(call, request, [&] {
    return real::Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                                info, request);
  });
}

PETRI_PERSISTENT(Alltoallw_init)
(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
 const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::alltoallw_init, PETRI_SITE, comm);
  call.starts_later();
  describe_alltoallw<int>(call, {sendbuf, sendcounts, sdispls, sendtypes}, {recvbuf, recvcounts, rdispls, recvtypes});
  return initialize(call, request, [&] {
    return real::Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                                info, request);
  });
}
