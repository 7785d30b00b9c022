// Partitioned messages, MPI 4.1 chapter 4. Built where the MPI library has them.
#include "harness/record/call_forms.hpp"
#include "harness/record/real_mpi4.hpp"

using namespace petri;
using namespace petri::record;

namespace {

// `count` is that of one partition.
void describe_partitions(Call& call, int partitions, MPI_Count count, MPI_Datatype type) {
  call.starts_later();
  call.data(count, type);
  if (call.active()) call.slot().matched = partitions;
}

std::uint32_t number_of(MPI_Request request) {
  const RequestEntry* entry = find_request(request);
  return entry != nullptr ? entry->number : kNoRequest;
}

void describe_ready(Call& call, MPI_Request request, int first, int last) {
  if (!call.active()) return;
  call.slot().request = number_of(request);
  call.slot().peer = first;
  call.slot().tag = last;
}

}  // namespace

PETRI_MPI(Psend_init)
(const void* buf, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::psend_init, PETRI_SITE, comm);
  describe_partitions(call, partitions, count, type);
  call.to(dest, tag);
  call.in(buf, partitions * count, type);
  return initialize(call, request,
                    [=] { return real::Psend_init(buf, partitions, count, type, dest, tag, comm, info, request); });
}

PETRI_MPI(Precv_init)
(void* buf, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Info info,
 MPI_Request* request) {
  Call call(Op::precv_init, PETRI_SITE, comm);
  describe_partitions(call, partitions, count, type);
  call.to(source, tag);
  call.out(buf, partitions * count, type);
  return initialize(call, request,
                    [=] { return real::Precv_init(buf, partitions, count, type, source, tag, comm, info, request); });
}

PETRI_MPI(Pready)(int partition, MPI_Request request) {
  Call call(Op::pready, PETRI_SITE);
  describe_ready(call, request, partition, kUnset);
  call.begin();
  return call.end(real::Pready(partition, request));
}

PETRI_MPI(Pready_range)(int low, int high, MPI_Request request) {
  Call call(Op::pready_range, PETRI_SITE);
  describe_ready(call, request, low, high);
  call.begin();
  return call.end(real::Pready_range(low, high, request));
}

PETRI_MPI(Pready_list)(int length, int partitions[], MPI_Request request) {
  Call call(Op::pready_list, PETRI_SITE);
  describe_ready(call, request, kUnset, kUnset);
  call.list(Part::indices, partitions, length);
  call.begin();
  return call.end(real::Pready_list(length, partitions, request));
}

// Polls are recorded after the call, since they do not block: a failed one joins the event of those before it.
PETRI_MPI(Parrived)(MPI_Request request, int partition, int* flag) {
  if (!records_here()) return real::Parrived(request, partition, flag);
  const auto begin = [=] {
    Call call(Op::parrived, PETRI_SITE);
    describe_ready(call, request, partition, kUnset);
    call.begin();
  };
  const int result = before_event(begin, [=] { return real::Parrived(request, partition, flag); });
  const bool failed = result == MPI_SUCCESS && *flag == 0;
  const auto key = reinterpret_cast<std::uintptr_t>(request) * 0x100000001b3ull ^ static_cast<std::uint32_t>(partition);
  if (failed && count_failed_poll(Op::parrived, key)) return result;
  Call call(Op::parrived, PETRI_SITE);
  describe_ready(call, request, partition, kUnset);
  if (failed) {
    remember_failed_poll(Op::parrived, key, call.number());
    return call.end_failed_poll(result);
  }
  call.flag(*flag != 0);
  call.begin();
  return call.end(result);
}
