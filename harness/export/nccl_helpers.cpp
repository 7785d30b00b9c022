#include "harness/export/nccl_helpers.hpp"

namespace petri::nccl {
namespace {

constexpr std::string_view kWatching = R"text(
static int rank;
static std::string folder;  // where ranks find each other by files
static void *in, *out;      // device memory; what is in it does not matter
static std::atomic<const char*> standing{"the start"};
static std::atomic<double> deadline{1e18};

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// In one piece, so that the lines of several ranks do not mix.
static void say(const std::string& text) {
  const std::string line = text + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(kFailed);
}

static void pause_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// The record stops while this rank ran: it makes no more calls.
[[noreturn, maybe_unused]] static void stay() {
  standing = "nothing more: it stays away, as its record does";
  while (true) pause_s(1);
}

// With the time over, calls fail because others have left.
[[noreturn]] static void fail(const char* call, const char* reason) {
  if (now() > deadline - 0.5)
    while (true) pause_s(1);
  say("rank " + std::to_string(rank) + ": " + call + ": " + reason);
  _exit(kFailed);
}

static void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) fail(call, cudaGetErrorString(status));
}
static void check(ncclResult_t status, const char* call) {
  if (status != ncclSuccess && status != ncclInProgress) fail(call, ncclGetErrorString(status));
}
#define TEXT_OF(line) #line
#define LINE_TEXT(line) TEXT_OF(line)
#define CUDA(call) (standing = "line " LINE_TEXT(__LINE__) ": " #call, check(call, #call))
#define NCCL(call) (standing = "line " LINE_TEXT(__LINE__) ": " #call, check(call, #call))

static void watch() {
  while (now() < deadline) pause_s(0.05);
  say("rank " + std::to_string(rank) + " stands in " + standing.load());
  pause_s(1.5);  // who leaves fails others that have yet to report
  _exit(kHung);
}

static std::vector<ncclComm_t> comms;  // whose asynchronous errors count

[[maybe_unused]] static void watched(ncclComm_t comm) {
  if (comm != nullptr) comms.push_back(comm);
}
[[maybe_unused]] static void unwatched(ncclComm_t comm) {
  comms.erase(std::remove(comms.begin(), comms.end(), comm), comms.end());
}

// Until it is done; an error of a communicator shows itself meanwhile.
template <class Query>
static void settle_until(Query query, const char* call) {
  for (cudaError_t status = query(); status != cudaSuccess; status = query()) {
    if (status != cudaErrorNotReady) fail(call, cudaGetErrorString(status));
    for (const ncclComm_t comm : comms) {
      ncclResult_t error = ncclSuccess;
      check(ncclCommGetAsyncError(comm, &error), "ncclCommGetAsyncError");
      check(error, "an asynchronous error of a communicator");
    }
    pause_s(0.001);
  }
}

static std::map<std::string, cudaStream_t> streams;

[[maybe_unused]] static cudaStream_t stream(const std::string& name) {
  if (streams.count(name) == 0)
    check(cudaStreamCreateWithFlags(&streams[name], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return streams[name];
}
[[maybe_unused]] static cudaEvent_t event(const std::string& name) {
  static std::map<std::string, cudaEvent_t> events;
  if (events.count(name) == 0)
    check(cudaEventCreateWithFlags(&events[name], cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return events[name];
}
#define settle(stream) \
  (standing = "line " LINE_TEXT(__LINE__) ": settle(" #stream "), which waits for a stream", settle_stream(stream))
#define settle_all() \
  (standing = "line " LINE_TEXT(__LINE__) ": settle_all(), which waits for the device", settle_streams())
#define settle_event(event)                                             \
  (standing = "line " LINE_TEXT(__LINE__) ": settle_event(" #event ")", \
   settle_until([&] { return cudaEventQuery(event); }, "cudaEventQuery"))
static void settle_stream(cudaStream_t stream) {
  settle_until([&] { return cudaStreamQuery(stream); }, "cudaStreamQuery");
}
static void settle_streams() {
  for (const auto& named : streams) settle_stream(named.second);
}

// Files appear whole: written beside their place and renamed.
static void leave(const std::string& name, const void* data, size_t size) {
  const std::string file = folder + "/" + name, part = file + ".part" + std::to_string(rank);
  std::FILE* opened = std::fopen(part.c_str(), "wb");
  if (opened == nullptr || std::fwrite(data, 1, size, opened) != size || std::fclose(opened) != 0 ||
      std::rename(part.c_str(), file.c_str()) != 0)
    fail(file.c_str(), std::strerror(errno));
}
static void await(const std::string& name, void* data, size_t size) {
  const std::string file = folder + "/" + name;
  std::FILE* opened = nullptr;
  while ((opened = std::fopen(file.c_str(), "rb")) == nullptr) pause_s(0.005);
  const size_t got = std::fread(data, 1, size, opened);
  std::fclose(opened);
  if (got != size) fail(file.c_str(), "is too short");
}
static void meet(const std::string& name) {
  char here = 0;
  leave(name + "-" + std::to_string(rank), &here, 1);
  for (int other = 0; other < kWorld; ++other) await(name + "-" + std::to_string(other), &here, 1);
}

// A communicator of these ranks, in this order; for others nothing.
[[maybe_unused]] static void make(ncclComm_t* comm, const char* name, const std::vector<int>& ranks) {
  const auto place = std::find(ranks.begin(), ranks.end(), rank);
  if (place == ranks.end()) return;
  ncclUniqueId id;
  if (place == ranks.begin()) {
    NCCL(ncclGetUniqueId(&id));
    leave(name, &id, sizeof id);
  }
  await(name, &id, sizeof id);
  NCCL(ncclCommInitRank(comm, (int)ranks.size(), id, (int)(place - ranks.begin())));
  watched(*comm);
}

// The end of the program, where all ranks meet.
[[noreturn, maybe_unused]] static void finish() {
  settle_all();
  standing = "its end, where it waits for the others";
  meet("end");
  _exit(0);
}
)text";

// Each block lies at its member's place in the buffer.
constexpr std::string_view kBlocks = R"text(
static size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32: return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64: return 8;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    default: return 1;
  }
}
static char* block(void* buffer, int member, size_t count, ncclDataType_t type) {
  return (char*)buffer + (size_t)member * count * size_of(type);
}
static int size_of(ncclComm_t comm) {
  int size = 0;
  check(ncclCommCount(comm, &size), "ncclCommCount");
  return size;
}
static int place_in(ncclComm_t comm) {
  int place = 0;
  check(ncclCommUserRank(comm, &place), "ncclCommUserRank");
  return place;
}
)text";

constexpr std::string_view kAlltoall = R"text(
static ncclResult_t alltoall(size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  check(ncclGroupStart(), "ncclGroupStart");
  for (int other = 0; other < size_of(comm); ++other) {
    check(ncclSend(block(in, other, count, type), count, type, other, comm, stream), "ncclSend");
    check(ncclRecv(block(out, other, count, type), count, type, other, comm, stream), "ncclRecv");
  }
  return ncclGroupEnd();
}
)text";

constexpr std::string_view kGather = R"text(
static ncclResult_t gather(size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream) {
  check(ncclGroupStart(), "ncclGroupStart");
  for (int other = 0; place_in(comm) == root && other < size_of(comm); ++other)
    check(ncclRecv(block(out, other, count, type), count, type, other, comm, stream), "ncclRecv");
  check(ncclSend(in, count, type, root, comm, stream), "ncclSend");
  return ncclGroupEnd();
}
)text";

constexpr std::string_view kScatter = R"text(
static ncclResult_t scatter(size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream) {
  check(ncclGroupStart(), "ncclGroupStart");
  for (int other = 0; place_in(comm) == root && other < size_of(comm); ++other)
    check(ncclSend(block(in, other, count, type), count, type, other, comm, stream), "ncclSend");
  check(ncclRecv(out, count, type, root, comm, stream), "ncclRecv");
  return ncclGroupEnd();
}
)text";

constexpr std::string_view kRunner = R"text(
static int number_in(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return otherwise;
}

static int run_rank(int device, double limit_s) {
  deadline = now() + limit_s + kStartup_s;
  std::thread(watch).detach();
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
  if (device >= devices) {
    say("rank " + std::to_string(rank) + ": NCCL takes one device for each rank, here are " + std::to_string(devices));
    return kMissing;
  }
  CUDA(cudaSetDevice(device));
  CUDA(cudaMalloc(&in, kBytes));
  CUDA(cudaMalloc(&out, kBytes));
  make_communicators();
  standing = "the start, where it waits for the others";
  meet("start");
  deadline = now() + limit_s;
  perform();
  return 0;
}

static std::vector<pid_t> children;

static void end_children(int) {
  for (const pid_t child : children) kill(child, SIGKILL);
  _exit(kFailed);
}

// Waits for the ranks; those that outlive a failed one or the time by far are ended.
static std::vector<int> ends_of(double limit_s) {
  std::vector<int> ends(kWorld, -1);
  double limit = now() + limit_s + kStartup_s + 10;
  for (int left = kWorld; left > 0;) {
    for (int child = 0; child < kWorld; ++child) {
      int status = 0;
      if (ends[child] >= 0 || waitpid(children[child], &status, WNOHANG) != children[child]) continue;
      ends[child] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (ends[child] != 0) limit = std::min(limit, now() + (ends[child] == kMissing ? 0 : limit_s + 10));
      --left;
    }
    if (now() > limit) {
      for (int child = 0; child < kWorld; ++child)
        if (ends[child] < 0) kill(children[child], SIGKILL);
      limit = 1e18;
    }
    pause_s(0.01);
  }
  return ends;
}

// Starts the ranks on this host by fork, before anything touches a device.
static int start(double limit_s) {
  std::string place = (std::filesystem::temp_directory_path() / "nccl-case-XXXXXX").string();
  if (mkdtemp(&place[0]) == nullptr) {
    std::perror(place.c_str());
    return kMissing;
  }
  folder = place;
  for (rank = 0; rank < kWorld; ++rank) {
    const pid_t child = fork();
    if (child == 0) _exit(run_rank(rank, limit_s));
    if (child < 0) {
      std::perror("fork");
      for (const pid_t started : children) kill(started, SIGKILL);
      std::filesystem::remove_all(place);
      return kMissing;
    }
    children.push_back(child);
  }
  signal(SIGINT, end_children);
  signal(SIGTERM, end_children);
  const std::vector<int> ends = ends_of(limit_s);
  std::filesystem::remove_all(place);
  int hung = 0, worst = 0;
  for (int child = 0; child < kWorld; ++child) {
    hung += ends[child] == kHung;
    if (ends[child] == kMissing && worst == 0) worst = kMissing;
    if (ends[child] == 0 || ends[child] == kHung || ends[child] == kMissing || worst == kMissing) continue;
    say("failed: rank " + std::to_string(child) + " ended with " + std::to_string(ends[child]));
    worst = kFailed;
  }
  if (worst != 0) return worst;
  say(hung > 0 ? "hangs: " + std::to_string(hung) + " of " + std::to_string(kWorld) +
                     " ranks are there when the time is over"
               : "completes: all ranks came to the end");
  return hung > 0 ? kHung : 0;
}

int main(int argc, char** argv) {
  double limit_s = kLimit_s;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--timeout") == 0) limit_s = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--folder") == 0) folder = argv[i + 1];
  }
  if (argc % 2 == 0 || limit_s <= 0) {
    std::fprintf(stderr, "usage: %s [--timeout SECONDS] [--folder SHARED_EMPTY_FOLDER, under a launcher]\n", argv[0]);
    return 2;
  }
  if (folder.empty()) return start(limit_s);
  rank = number_in({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"}, -1);
  if (rank < 0 || rank >= kWorld) {
    std::fprintf(stderr, "this case has %d ranks, and a launcher must number them\n", kWorld);
    return kMissing;
  }
  const int device = number_in({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "LOCAL_RANK"}, rank);
  _exit(run_rank(device, limit_s));
}
)text";

}  // namespace

std::string helper_functions(const std::set<std::string_view>& parts) {
  std::string out(kWatching);
  if (!parts.empty()) out += kBlocks;
  if (parts.count("alltoall") != 0) out += kAlltoall;
  if (parts.count("gather") != 0) out += kGather;
  if (parts.count("scatter") != 0) out += kScatter;
  return out;
}

std::string_view runner() {
  return kRunner;
}

}  // namespace petri::nccl
