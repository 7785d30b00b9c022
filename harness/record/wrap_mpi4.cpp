// Calls that are new in MPI 4.0 (sections 3.11 and 7.4.2). Built where the MPI library has them: Open MPI from 5.0.
#include "harness/record/call_forms.hpp"
#include "harness/record/creation.hpp"
#include "harness/record/real_mpi4.hpp"
#include "harness/record/sendrecv_arguments.hpp"

using namespace petri;
using namespace petri::record;

PETRI_MPI(Isendrecv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount,
 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::isendrecv, PETRI_SITE, comm);
  describe_both(call, ends_of(dest, sendtag, source, recvtag), sendcount, sendtype, recvcount, recvtype);
  call.receives_from(source, recvtag);
  call.in(sendbuf, sendcount, sendtype);
  call.out(recvbuf, recvcount, recvtype);
  return start(call, request, [=] {
    return real::Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                           comm, request);
  });
}

PETRI_MPI(Isendrecv_replace)
(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
 MPI_Request* request) {
  Call call(Op::isendrecv_replace, PETRI_SITE, comm);
  describe_both(call, ends_of(dest, sendtag, source, recvtag), count, type, count, type);
  call.receives_from(source, recvtag);
  call.in(buf, count, type);
  call.out(buf, count, type);
  return start(call, request, [=] {
    return real::Isendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, request);
  });
}

PETRI_MPI(Comm_idup_with_info)(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return nonblocking_dup(Op::comm_idup_with_info, PETRI_SITE, comm, newcomm, request,
                         [=] { return real::Comm_idup_with_info(comm, info, newcomm, request); });
}
