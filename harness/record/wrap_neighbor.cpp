// Collectives along a topology, MPI 4.1 chapter 8: blocking, then nonblocking.
#include "harness/record/call_forms.hpp"
#include "harness/record/neighbor_arguments.hpp"

using namespace petri;
using namespace petri::record;

PETRI_MPI(Neighbor_allgather)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm) {
  Call call(Op::neighbor_allgather, PETRI_SITE, comm);
  describe_neighbor_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, false);
  return run(
      call, [&] { return real::Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

PETRI_MPI(Neighbor_allgatherv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, MPI_Comm comm) {
  Call call(Op::neighbor_allgatherv, PETRI_SITE, comm);
  describe_neighbor_allgatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
  return run(call, [&] {
    return real::Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  });
}

PETRI_MPI(Neighbor_alltoall)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm) {
  Call call(Op::neighbor_alltoall, PETRI_SITE, comm);
  describe_neighbor_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, true);
  return run(call,
             [&] { return real::Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

PETRI_MPI(Neighbor_alltoallv)
(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
 const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  Call call(Op::neighbor_alltoallv, PETRI_SITE, comm);
  describe_neighbor_alltoallv(call, {sendbuf, sendcounts, sdispls, sendtype}, {recvbuf, recvcounts, rdispls, recvtype});
  return run(call, [&] {
    return real::Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                    comm);
  });
}

PETRI_MPI(Neighbor_alltoallw)
(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
 const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  Call call(Op::neighbor_alltoallw, PETRI_SITE, comm);
  describe_neighbor_alltoallw(call, {sendbuf, sendcounts, sdispls, sendtypes},
                              {recvbuf, recvcounts, rdispls, recvtypes});
  return run(call, [&] {
    return real::Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                    comm);
  });
}

PETRI_MPI(Ineighbor_allgather)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ineighbor_allgather, PETRI_SITE, comm);
  describe_neighbor_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, false);
  return start(call, request, [&] {
    return real::Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  });
}

PETRI_MPI(Ineighbor_allgatherv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
 MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ineighbor_allgatherv, PETRI_SITE, comm);
  describe_neighbor_allgatherv(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype});
  return start(call, request, [&] {
    return real::Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                                      request);
  });
}

PETRI_MPI(Ineighbor_alltoall)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
 MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ineighbor_alltoall, PETRI_SITE, comm);
  describe_neighbor_exchange(call, {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, true);
  return start(call, request, [&] {
    return real::Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  });
}

PETRI_MPI(Ineighbor_alltoallv)
(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
 const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::ineighbor_alltoallv, PETRI_SITE, comm);
  describe_neighbor_alltoallv(call, {sendbuf, sendcounts, sdispls, sendtype}, {recvbuf, recvcounts, rdispls, recvtype});
  return start(call, request, [&] {
    return real::Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                     comm, request);
  });
}

PETRI_MPI(Ineighbor_alltoallw)
(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
 const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
 MPI_Request* request) {
  Call call(Op::ineighbor_alltoallw, PETRI_SITE, comm);
  describe_neighbor_alltoallw(call, {sendbuf, sendcounts, sdispls, sendtypes},
                              {recvbuf, recvcounts, rdispls, recvtypes});
  return start(call, request, [&] {
    return real::Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                     comm, request);
  });
}
