// Stands in for the libraries of CUDA and NCCL in tests, behind their real headers: records the calls that an exported
// program makes, and performs none of them. So it shows that the program is one, which calls it makes and that it ends
// as it should; whether the calls hang is for the real libraries and devices to show.
#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>

struct ncclComm {
  int size, rank;
};

namespace {

int rank_of_process = 0;  // of the first communicator that it is in

void record(const char* format, ...) {
  char text[512];
  int at = std::snprintf(text, sizeof text, "rank %d: ", rank_of_process);
  va_list values;
  va_start(values, format);
  at += std::vsnprintf(text + at, sizeof text - static_cast<std::size_t>(at) - 1, format, values);
  va_end(values);
  text[at++] = '\n';
  if (write(STDOUT_FILENO, text, static_cast<std::size_t>(at)) < 0) _exit(99);
}

long number_of(const void* handle) {
  return static_cast<long>(reinterpret_cast<std::intptr_t>(handle));
}

template <class Handle>
cudaError_t numbered(Handle* handle) {
  static std::intptr_t next = 0;
  *handle = reinterpret_cast<Handle>(++next);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 8;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, size_t size) {
  *memory = nullptr;
  return size > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
const char* cudaGetErrorString(cudaError_t) {
  return "an error of CUDA";
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  return numbered(stream);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  return numbered(event);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  record("waits for stream %ld", number_of(stream));
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  record("waits for event %ld", number_of(event));
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  record("event %ld on stream %ld", number_of(event), number_of(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  record("stream %ld waits for event %ld", number_of(stream), number_of(event));
  return cudaSuccess;
}

const char* ncclGetErrorString(ncclResult_t) {
  return "an error of NCCL";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = ncclUniqueId{};
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId, int rank) {
  static bool first = true;
  if (first) rank_of_process = rank;
  first = false;
  *comm = new ncclComm{size, rank};
  record("communicator of %d", size);
  return ncclSuccess;
}
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made, ncclConfig_t*) {
  record("split by %d, %d", color, key);
  *made = color == NCCL_SPLIT_NOCOLOR ? nullptr : new ncclComm{*comm};
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t) {
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  record("communicator destroyed");
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return ncclCommDestroy(comm);
}
ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  *count = comm->size;
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* error) {
  *error = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
  record("group");
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  record("group ended");
  return ncclSuccess;
}
ncclResult_t ncclAllReduce(const void*, void*, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  record("allreduce %zu type %d op %d of %d on stream %ld", count, type, op, comm->size, number_of(stream));
  return ncclSuccess;
}
ncclResult_t ncclBroadcast(const void*, void*, size_t count, ncclDataType_t, int root, ncclComm_t,
                           cudaStream_t stream) {
  record("broadcast %zu from %d on stream %ld", count, root, number_of(stream));
  return ncclSuccess;
}
ncclResult_t ncclReduce(const void*, void*, size_t count, ncclDataType_t, ncclRedOp_t op, int root, ncclComm_t,
                        cudaStream_t stream) {
  record("reduce %zu op %d to %d on stream %ld", count, op, root, number_of(stream));
  return ncclSuccess;
}
ncclResult_t ncclAllGather(const void*, void*, size_t count, ncclDataType_t, ncclComm_t, cudaStream_t stream) {
  record("allgather %zu on stream %ld", count, number_of(stream));
  return ncclSuccess;
}
ncclResult_t ncclReduceScatter(const void*, void*, size_t count, ncclDataType_t, ncclRedOp_t op, ncclComm_t,
                               cudaStream_t stream) {
  record("reduce_scatter %zu op %d on stream %ld", count, op, number_of(stream));
  return ncclSuccess;
}
ncclResult_t ncclSend(const void*, size_t count, ncclDataType_t, int peer, ncclComm_t, cudaStream_t stream) {
  record("send %zu to %d on stream %ld", count, peer, number_of(stream));
  return ncclSuccess;
}
ncclResult_t ncclRecv(void*, size_t count, ncclDataType_t, int peer, ncclComm_t, cudaStream_t stream) {
  record("recv %zu from %d on stream %ld", count, peer, number_of(stream));
  return ncclSuccess;
}
}
