// Point-to-point calls, MPI 4.1 chapter 3.
#include <cstdlib>

#include "harness/record/call_forms.hpp"
#include "harness/record/handles.hpp"
#include "harness/record/sendrecv_arguments.hpp"

using namespace petri;
using namespace petri::record;

namespace {

void describe_send(Call& call, const void* buffer, int count, MPI_Datatype type, int to, int tag) {
  call.data(count, type);
  call.to(to, tag);
  call.in(buffer, count, type);
}

void describe_receive(Call& call, void* buffer, int count, MPI_Datatype type, int from, int tag) {
  call.data(count, type);
  call.from(from, tag);
  call.out(buffer, count, type);
}

// A call of the blocking or nonblocking send family under its recorded name.
template <class Send>
int blocking_send(Op op, const void* site, const void* buffer, int count, MPI_Datatype type, int to, int tag,
                  MPI_Comm comm, const Send& send) {
  Call call(op, site, comm);
  describe_send(call, buffer, count, type, to, tag);
  call.begin();
  return call.end(send());
}

template <class Send>
int nonblocking_send(Op op, const void* site, const void* buffer, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm, MPI_Request* request, const Send& send) {
  Call call(op, site, comm);
  describe_send(call, buffer, count, type, to, tag);
  return start(call, request, send);
}

// The program's status object, or ours where it ignores an outcome that is wanted.
MPI_Status* status_for(const Call& call, MPI_Status* theirs, MPI_Status& ours) {
  return theirs == MPI_STATUS_IGNORE && call.wants_status() ? &ours : theirs;
}

int settle(Call& call, int result, const MPI_Status* status) {
  if (result == MPI_SUCCESS && call.wants_status()) call.received(*status);
  return call.end(result);
}

}  // namespace

PETRI_MPI(Send)(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send(Op::send, PETRI_SITE, buf, count, type, dest, tag, comm, [=] {
    return state.strict ? real::Ssend(buf, count, type, dest, tag, comm)
                        : real::Send(buf, count, type, dest, tag, comm);
  });
}

PETRI_MPI(Bsend)(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send(Op::bsend, PETRI_SITE, buf, count, type, dest, tag, comm,
                       [=] { return real::Bsend(buf, count, type, dest, tag, comm); });
}

PETRI_MPI(Rsend)(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send(Op::rsend, PETRI_SITE, buf, count, type, dest, tag, comm, [=] {
    return state.strict ? real::Ssend(buf, count, type, dest, tag, comm)
                        : real::Rsend(buf, count, type, dest, tag, comm);
  });
}

PETRI_MPI(Ssend)(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send(Op::ssend, PETRI_SITE, buf, count, type, dest, tag, comm,
                       [=] { return real::Ssend(buf, count, type, dest, tag, comm); });
}

PETRI_MPI(Isend)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send(Op::isend, PETRI_SITE, buf, count, type, dest, tag, comm, request, [=] {
    return state.strict ? real::Issend(buf, count, type, dest, tag, comm, request)
                        : real::Isend(buf, count, type, dest, tag, comm, request);
  });
}

PETRI_MPI(Ibsend)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send(Op::ibsend, PETRI_SITE, buf, count, type, dest, tag, comm, request,
                          [=] { return real::Ibsend(buf, count, type, dest, tag, comm, request); });
}

PETRI_MPI(Irsend)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send(Op::irsend, PETRI_SITE, buf, count, type, dest, tag, comm, request, [=] {
    return state.strict ? real::Issend(buf, count, type, dest, tag, comm, request)
                        : real::Irsend(buf, count, type, dest, tag, comm, request);
  });
}

PETRI_MPI(Issend)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return nonblocking_send(Op::issend, PETRI_SITE, buf, count, type, dest, tag, comm, request,
                          [=] { return real::Issend(buf, count, type, dest, tag, comm, request); });
}

PETRI_MPI(Recv)(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call(Op::recv, PETRI_SITE, comm);
  describe_receive(call, buf, count, type, source, tag);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(call, status, ours);
  return settle(call, real::Recv(buf, count, type, source, tag, comm, to), to);
}

PETRI_MPI(Irecv)(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::irecv, PETRI_SITE, comm);
  describe_receive(call, buf, count, type, source, tag);
  return start(call, request, [=] { return real::Irecv(buf, count, type, source, tag, comm, request); });
}

namespace {

struct SendHalf {
  const void* buf;
  int count;
  MPI_Datatype type;
  int dest, tag;
};
struct RecvHalf {
  void* buf;
  int count;
  MPI_Datatype type;
  int source, tag;
};

// Strict mode: both halves at once as MPI 4.1, section 3.11 has it, but the send waits for its receive.
int synchronous_sendrecv(const SendHalf& out, const RecvHalf& in, MPI_Comm comm, MPI_Status* status) {
  MPI_Request receive = nullptr, send = nullptr;
  int error = real::Irecv(in.buf, in.count, in.type, in.source, in.tag, comm, &receive);
  if (error == MPI_SUCCESS) error = real::Issend(out.buf, out.count, out.type, out.dest, out.tag, comm, &send);
  if (error == MPI_SUCCESS) error = real::Wait(&receive, status);
  if (error == MPI_SUCCESS) error = real::Wait(&send, MPI_STATUS_IGNORE);
  return error;
}

}  // namespace

PETRI_MPI(Sendrecv)
(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount,
 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  Call call(Op::sendrecv, PETRI_SITE, comm);
  describe_both(call, ends_of(dest, sendtag, source, recvtag), sendcount, sendtype, recvcount, recvtype);
  call.receives_from(source, recvtag);
  call.in(sendbuf, sendcount, sendtype);
  call.out(recvbuf, recvcount, recvtype);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(call, status, ours);
  const auto perform = [&] {
    if (!state.strict)
      return real::Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                            comm, to);
    return synchronous_sendrecv({sendbuf, sendcount, sendtype, dest, sendtag},
                                {recvbuf, recvcount, recvtype, source, recvtag}, comm, to);
  };
  return settle(call, perform(), to);
}

PETRI_MPI(Sendrecv_replace)
(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
 MPI_Status* status) {
  Call call(Op::sendrecv_replace, PETRI_SITE, comm);
  describe_both(call, ends_of(dest, sendtag, source, recvtag), count, type, count, type);
  call.receives_from(source, recvtag);
  call.in(buf, count, type);
  call.out(buf, count, type);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(call, status, ours);
  const auto perform = [&] {
    if (!state.strict) return real::Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, to);
    // What goes out must be kept from what comes in: it travels packed, which fits a receive of any type.
    int room = 0, packed = 0;
    if (const int error = real::Pack_size(count, type, comm, &room); error != MPI_SUCCESS) return error;
    void* copy = std::malloc(static_cast<std::size_t>(room));
    if (copy == nullptr && room > 0) return MPI_ERR_NO_MEM;
    int error = real::Pack(buf, count, type, copy, room, &packed, comm);
    if (error == MPI_SUCCESS)
      error = synchronous_sendrecv({copy, packed, handles.packed, dest, sendtag}, {buf, count, type, source, recvtag},
                                   comm, to);
    std::free(copy);
    return error;
  };
  return settle(call, perform(), to);
}

PETRI_MPI(Probe)(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call(Op::probe, PETRI_SITE, comm);
  call.from(source, tag);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(call, status, ours);
  return settle(call, real::Probe(source, tag, comm, to), to);
}

namespace {

std::uint64_t probe_key(MPI_Comm comm, int source, int tag) {
  const auto ends =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32) | static_cast<std::uint32_t>(tag);
  return reinterpret_cast<std::uintptr_t>(comm) * 0x100000001b3ull ^ ends;
}

// Polls are recorded after the call, since they do not block: a failed one joins the event of those before it. `took`
// is told of the event of one that found something.
template <class Probe, class Took>
int poll_messages(Op op, const void* site, int source, int tag, MPI_Comm comm, const int* flag, MPI_Status* status,
                  const Probe& probe, const Took& took) {
  MPI_Status ours;
  MPI_Status* to = status == MPI_STATUS_IGNORE ? &ours : status;
  const auto begin = [&] {
    Call call(op, site, comm);
    call.from(source, tag);
    call.begin();
  };
  const int result = before_event(begin, [&] { return probe(to); });
  const bool failed = result == MPI_SUCCESS && *flag == 0;
  if (failed && count_failed_poll(op, probe_key(comm, source, tag))) return result;
  Call call(op, site, comm);
  call.from(source, tag);
  if (failed) {
    remember_failed_poll(op, probe_key(comm, source, tag), call.number());
    return call.end_failed_poll(result);
  }
  call.flag(*flag != 0);
  call.begin();
  if (result == MPI_SUCCESS) took(call);
  return settle(call, result, to);
}

}  // namespace

PETRI_MPI(Iprobe)(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (!records_here()) return real::Iprobe(source, tag, comm, flag, status);
  return poll_messages(
      Op::iprobe, PETRI_SITE, source, tag, comm, flag, status,
      [=](MPI_Status* to) { return real::Iprobe(source, tag, comm, flag, to); }, [](Call&) {});
}

// A matched probe takes its message out of the queue; the receive that follows names the message by a number.
PETRI_MPI(Improbe)(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!records_here()) return real::Improbe(source, tag, comm, flag, message, status);
  return poll_messages(
      Op::improbe, PETRI_SITE, source, tag, comm, flag, status,
      [=](MPI_Status* to) { return real::Improbe(source, tag, comm, flag, message, to); },
      [=](Call& call) { call.took_message(*message); });
}

PETRI_MPI(Mprobe)(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Call call(Op::mprobe, PETRI_SITE, comm);
  call.from(source, tag);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(call, status, ours);
  const int result = real::Mprobe(source, tag, comm, message, to);
  if (result == MPI_SUCCESS) call.took_message(*message);
  return settle(call, result, to);
}

PETRI_MPI(Mrecv)(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  Call call(Op::mrecv, PETRI_SITE);
  call.data(count, type);
  call.receives_message(*message);
  call.out(buf, count, type);
  call.begin();
  MPI_Status ours;
  MPI_Status* to = status_for(call, status, ours);
  return settle(call, real::Mrecv(buf, count, type, message, to), to);
}

PETRI_MPI(Imrecv)(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  Call call(Op::imrecv, PETRI_SITE);
  call.data(count, type);
  call.receives_message(*message);
  call.out(buf, count, type);
  return start(call, request, [=] { return real::Imrecv(buf, count, type, message, request); });
}
