// Persistent requests of point-to-point calls, MPI 4.1 section 3.9: made once, started many times.
#include "harness/record/call_forms.hpp"

using namespace petri;
using namespace petri::record;

namespace {

template <class Init>
int init_send(Op op, const void* site, const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              const MPI_Request* request, const Init& init) {
  Call call(op, site, comm);
  call.data(count, type);
  call.to(to, tag);
  call.reads(buffer, count, type);
  return initialize(call, request, init);
}

// The number of a recorded persistent request, which is active from here on; nothing for another one.
std::uint32_t activate(MPI_Request request, std::uint64_t event) {
  const Locked locked;
  RequestEntry* entry = find_request(request);
  if (entry == nullptr || !entry->persistent) return kNoRequest;
  entry->event = event;
  entry->started = true;
  return entry->number;
}

// MPI may give a request another handle when it starts it, as Open MPI does with a buffered send that is still under
// way.
void follow_handle(MPI_Request before, MPI_Request after) {
  if (before == after) return;
  const Locked locked;
  const RequestEntry* entry = find_request(before);
  if (entry == nullptr) return;
  const RequestEntry moved = *entry;
  forget_request(before);
  add_request(after, nullptr, moved);
}

int start_request(const void* site, MPI_Request* request) {
  Call call(Op::start, site);
  if (!call.active()) return real::Start(request);
  call.slot().request = activate(*request, call.number());
  call.begin();
  if (state.strict) {
    const Locked locked;
    if (RequestEntry* entry = find_request(*request)) join_start(*entry);
  }
  const MPI_Request before = *request;
  const int status = real::Start(request);
  follow_handle(before, *request);
  return call.end(status);
}

}  // namespace

PETRI_MPI(Send_init)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(Op::send_init, PETRI_SITE, buf, count, type, dest, tag, comm, request, [=] {
    return state.strict ? real::Ssend_init(buf, count, type, dest, tag, comm, request)
                        : real::Send_init(buf, count, type, dest, tag, comm, request);
  });
}

PETRI_MPI(Bsend_init)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(Op::bsend_init, PETRI_SITE, buf, count, type, dest, tag, comm, request,
                   [=] { return real::Bsend_init(buf, count, type, dest, tag, comm, request); });
}

PETRI_MPI(Rsend_init)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(Op::rsend_init, PETRI_SITE, buf, count, type, dest, tag, comm, request, [=] {
    return state.strict ? real::Ssend_init(buf, count, type, dest, tag, comm, request)
                        : real::Rsend_init(buf, count, type, dest, tag, comm, request);
  });
}

PETRI_MPI(Ssend_init)
(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return init_send(Op::ssend_init, PETRI_SITE, buf, count, type, dest, tag, comm, request,
                   [=] { return real::Ssend_init(buf, count, type, dest, tag, comm, request); });
}

PETRI_MPI(Recv_init)
(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call(Op::recv_init, PETRI_SITE, comm);
  call.data(count, type);
  call.from(source, tag);
  call.writes(buf, count, type);
  return initialize(call, request, [=] { return real::Recv_init(buf, count, type, source, tag, comm, request); });
}

PETRI_MPI(Start)(MPI_Request* request) {
  return start_request(PETRI_SITE, request);
}

// Each start is an event of its own, for each has its own match.
PETRI_MPI(Startall)(int count, MPI_Request requests[]) {
  if (!records_here()) return real::Startall(count, requests);
  const void* const site = call_of(PETRI_SITE).site;  // of all of them
  for (int i = 0; i < count; ++i)
    if (const int status = start_request(site, &requests[i]); status != MPI_SUCCESS) return status;
  return MPI_SUCCESS;
}
