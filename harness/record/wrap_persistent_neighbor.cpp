// Persistent collectives along a topology, MPI 4.1 section 8.8: made together and in the same order by all, started
// many times.
#include "harness/record/call_forms.hpp"
#include "harness/record/neighbor_arguments.hpp"
#include "harness/record/real_persistent.hpp"

using namespace petri;
using namespace petri::record;

PETRI_PERSISTENT(Neighbor_allgather_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::neighbor_allgather_init, PETRI_SITE, comm);
  call.starts_later();
  describe_neighbor_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, false);
  return initialize(call, request, [&] {
    return real::Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                         request);
  });
}

PETRI_PERSISTENT(Neighbor_allgatherv_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::neighbor_allgatherv_init, PETRI_SITE, comm);
  call.starts_later();
  describe_neighbor_allgatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
  return initialize(call, request, [&] {
    return real::Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                                          info, request);
  });
}

PETRI_PERSISTENT(Neighbor_alltoall_init)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Call call(Op::neighbor_alltoall_init, PETRI_SITE, comm);
  call.starts_later();
  describe_neighbor_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, true);
  return initialize(call, request, [&] {
    return real::Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                        request);
  });
}

PETRI_PERSISTENT(Neighbor_alltoallv_init)
(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
 const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::neighbor_alltoallv_init, PETRI_SITE, comm);
  call.starts_later();
  describe_neighbor_alltoallv(call, {sendbuf, sendcounts, sdispls, sendtype}, {recvbuf, recvcounts, rdispls, recvtype});
  return initialize(call, request, [&] {
    return real::Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                         comm, info, request);
  });
}

PETRI_PERSISTENT(Neighbor_alltoallw_init)
(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
 const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::neighbor_alltoallw_init, PETRI_SITE, comm);
  call.starts_later();
  describe_neighbor_alltoallw(call, {sendbuf, sendcounts, sdispls, sendtypes},
                              {recvbuf, recvcounts, rdispls, recvtypes});
  return initialize(call, request, [&] {
    return real::Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                         recvtypes, comm, info, request);
  });
}
