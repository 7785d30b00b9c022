// Making the record file, its facts, and how the process ended.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "harness/record/errors.hpp"
#include "harness/record/handles.hpp"
#include "harness/record/recorder.hpp"

namespace petri::record {

namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

std::uint64_t ring_slots_wanted() {
  const char* text = std::getenv("PETRI_RECORD_RING");
  std::uint64_t mib = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  if (mib == 0 || mib > kMaxRingMiB) mib = kDefaultRingMiB;
  std::uint64_t slots = 1;
  while (slots * kSlotBytes < mib << 20) slots *= 2;
  return slots;
}

// Makes a folder and those above it.
void make_folders(const char* folder) {
  char path[4096];
  const int length = std::snprintf(path, sizeof path, "%s", folder);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return;
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    ::mkdir(path, 0777);
    *slash = '/';
  }
  ::mkdir(path, 0777);
}

// A new file of the given size, or -1 with a word to the user: a job must not die because it cannot be recorded.
int make_file(const char* folder, const char* host, std::int64_t start_ns, std::uint64_t bytes) {
  char path[4096];
  const int length = std::snprintf(path, sizeof path, "%s/%s-%ld-%lld%s", folder, host, static_cast<long>(::getpid()),
                                   static_cast<long long>(start_ns), kFileSuffix);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return -1;
  const int fd = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0 && ::ftruncate(fd, static_cast<off_t>(bytes)) == 0) return fd;
  std::fprintf(stderr, "petri: this process is not recorded: %s: %s\n", path, std::strerror(errno));
  if (fd >= 0) ::close(fd);
  return -1;
}

// Where only strict mode is asked for, the same bookkeeping goes to memory that nobody sees. Where nothing is said, the
// library was preloaded by hand, to be always on.
void* map_record(const char* host, std::int64_t start_ns, std::uint64_t bytes) {
  const char* folder = std::getenv("PETRI_RECORD_DIR");
  if (folder == nullptr || *folder == '\0') {
    if (state.strict)
      return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    folder = "petri-record";
  }
  make_folders(folder);
  const int fd = make_file(folder, host, start_ns, bytes);
  if (fd < 0) return MAP_FAILED;
  void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  return base;
}

std::int32_t launcher_says(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* text = std::getenv(name); text != nullptr)
      return static_cast<std::int32_t>(std::strtol(text, nullptr, 10));
  return -1;
}

// Before init: mpirun's word comes before srun's, which a batch script hands down to all that it starts.
void write_place_in_world(Header& header) {
  const std::int32_t rank = launcher_says({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"});
  const std::int32_t size = launcher_says({"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"});
  header.world_rank.store(rank < size ? rank : -1, std::memory_order_relaxed);
  header.world_size.store(rank < size ? size : -1, std::memory_order_relaxed);
}

// A word for the job that all its processes share, from whoever started it; an MPI program alone is a job of its own.
void write_job(char* to, std::size_t size, const char* host) {
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::snprintf(to, size, "%s", value);
    return;
  }
  std::snprintf(to, size, "%s-%ld", host, static_cast<long>(::getpid()));
}

// Reads a small file or what a link points to; empty where it is not there.
void read_small(const char* path, char* to, std::size_t size) {
  to[0] = '\0';
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t length = ::read(fd, to, size - 1);
  ::close(fd);
  to[length > 0 ? length : 0] = '\0';
}

void write_system(Header& header) {
  char boot[64], namespace_of_pids[64] = "";
  read_small("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  boot[std::strcspn(boot, "\n")] = '\0';
  const ssize_t length = ::readlink("/proc/self/ns/pid", namespace_of_pids, sizeof namespace_of_pids - 1);
  namespace_of_pids[length > 0 ? length : 0] = '\0';
  std::snprintf(header.system, sizeof header.system, "%s %s", boot, namespace_of_pids);

  char stat[1024];
  read_small("/proc/self/stat", stat, sizeof stat);
  // The name, which may hold anything, ends with the last parenthesis; the start is field 22, the state behind it
  // field 3.
  const char* field = std::strrchr(stat, ')');
  for (int i = 2; field != nullptr && i < 22; ++i) field = std::strchr(field + 1, ' ');
  header.process_start = field != nullptr ? std::strtoull(field + 1, nullptr, 10) : 0;
}

void write_header(Header& header, const char* host, std::int64_t start_ns, std::uint64_t slots) {
  header.layout = kLayoutVersion;
  header.op_table = op_table_fingerprint();
  header.fact_offset = kHeaderBytes;
  header.fact_bytes = kFactBytes;
  header.ring_offset = kHeaderBytes + kFactBytes;
  header.ring_slots = slots;
  header.file_bytes = header.ring_offset + slots * kSlotBytes;
  header.pid = ::getpid();
  header.start_ns = start_ns;
  std::snprintf(header.host, sizeof header.host, "%s", host);
  write_job(header.job, sizeof header.job, host);
  write_system(header);
  header.clock_start = read_clock();
  header.step.store(state.step, std::memory_order_relaxed);
  header.microbatch.store(state.microbatch, std::memory_order_relaxed);
  write_place_in_world(header);
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header.magic, kMagic, sizeof kMagic);
}

// At exit: also a process that never reached MPI_Finalize says how it went.
void on_exit_note(int status, void*) {
  // A forked child shares the mapping; its end is not the process's.
  if (state.header == nullptr || state.header->pid != ::getpid()) return;
  state.header->exit_status.store(status, std::memory_order_relaxed);
  note_end(Ended::exited, status);
}

std::int64_t opened_ns;

void write_command_line() {
  char text[4096];
  const int fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t length = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (length <= 0) return;
  for (ssize_t i = 0; i + 1 < length; ++i)
    if (text[i] == '\0') text[i] = ' ';
  text[length] = '\0';
  write_text("command", text);
}

}  // namespace

void open_record() {
  state.strict = is_set("PETRI_STRICT");
  state.digests = is_set("PETRI_RECORD_DIGESTS");
  state.buffers = is_set("PETRI_RECORD_BUFFERS");
  state.observes = state.digests || state.buffers;
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const std::int64_t start_ns = now_ns(CLOCK_REALTIME);
  const std::uint64_t slots = ring_slots_wanted();
  if (!find_handles()) return;
  void* base = map_record(host, start_ns, kHeaderBytes + kFactBytes + slots * kSlotBytes);
  if (base == MAP_FAILED) return;

  opened_ns = now_ns(CLOCK_MONOTONIC);
  state.header = static_cast<Header*>(base);
  state.ring = static_cast<unsigned char*>(base) + kHeaderBytes + kFactBytes;
  state.mask = slots - 1;
  write_header(*state.header, host, start_ns, slots);
  write_command_line();
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&state.mutex, &recursive);
  ::on_exit(on_exit_note, nullptr);
  state.recording = true;
}

void populate_ring() {
  constexpr std::uint64_t kPiece = 2048;  // slots: 128 KiB
  const std::uint64_t slots = state.mask + 1;
  if (state.populated >= slots) {
    state.populated = ~std::uint64_t{0};
    return;
  }
#ifdef MADV_POPULATE_WRITE  // Linux 5.14; elsewhere the pages come one by one
  ::madvise(state.ring + state.populated * kSlotBytes, kPiece * kSlotBytes, MADV_POPULATE_WRITE);
#endif
  state.populated += kPiece;
}

static const char* name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "single";
    case MPI_THREAD_FUNNELED: return "funneled";
    case MPI_THREAD_SERIALIZED: return "serialized";
    default: return "multiple";
  }
}

void learn_world() {
  // MPI_Init took long enough to measure the clock by.
  const auto ticks = static_cast<double>(read_clock() - state.header->clock_start);
  const auto ns = static_cast<double>(now_ns(CLOCK_MONOTONIC) - opened_ns);
  state.header->clock_hz.store(ns > 0 ? ticks / ns * 1e9 : 0.0, std::memory_order_relaxed);
  learn_predefined();
  learn_world_comms();
  MPI_Comm parent = handles.no_comm;
  if (real::Comm_get_parent(&parent) == MPI_SUCCESS && parent != handles.no_comm)
    state.header->spawned.store(1, std::memory_order_relaxed);

  int level = MPI_THREAD_SINGLE;
  real::Query_thread(&level);
  state.threaded = level == MPI_THREAD_MULTIPLE;
  state.one_thread = level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED;
  if (state.threaded) watch_threads();
  watch_errors();
  thread_number();  // the thread that initializes is the first
  write_text("mpi_threads", name_of_level(level));
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (real::Get_library_version(version, &length) == MPI_SUCCESS) {
    version[std::strcspn(version, ",\n")] = '\0';
    write_text("mpi_library", version);
  }
  if (state.strict) write_text("petri_strict", "1");
}

void close_record() {
  state.recording = false;
  note_end(Ended::finalized, 0);
}

void note_end(Ended how, int status) {
  if (state.header == nullptr) return;
  auto running = Ended::running;
  if (state.header->ended.load(std::memory_order_relaxed) != running) return;
  state.header->exit_status.store(status, std::memory_order_relaxed);
  state.header->ended.compare_exchange_strong(running, how, std::memory_order_release);
}

void write_fact(FactKind kind, void* fact, std::size_t bytes, const void* rest, std::size_t rest_bytes) {
  const Locked locked;
  Header& header = *state.header;
  const std::uint64_t used = header.facts_used.load(std::memory_order_relaxed);
  const std::uint64_t padded = (bytes + rest_bytes + 7) / 8 * 8;
  if (padded > kFactBytes - used) {
    header.facts_lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  unsigned char* place = reinterpret_cast<unsigned char*>(&header) + kHeaderBytes + used;
  auto* head = static_cast<FactHead*>(fact);
  head->bytes = static_cast<std::uint32_t>(bytes + rest_bytes);
  head->kind = kind;
  std::memcpy(place, fact, bytes);
  if (rest_bytes > 0) std::memcpy(place + bytes, rest, rest_bytes);
  // Readers look at whole facts only: what lies below `facts_used`.
  header.facts_used.store(used + padded, std::memory_order_release);
}

void write_text(const char* key, const char* value) {
  char line[8192];
  const int length = std::snprintf(line, sizeof line, "%s=%s", key, value);
  if (length <= 0) return;
  const auto kept = static_cast<std::size_t>(length) < sizeof line ? static_cast<std::size_t>(length) : sizeof line - 1;
  TextFact fact{};
  write_fact(FactKind::text, &fact, sizeof fact, line, kept + 1);
}

// Once for each class: its name and what it means.
static void write_error_class(int error_class) {
  static bool noted[256];
  if (error_class < 0 || error_class > 255 || noted[error_class]) return;
  noted[error_class] = true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (real::Error_string(error_class, text, &length) != MPI_SUCCESS) return;
  ErrorFact fact{};
  fact.error_class = error_class;
  write_fact(FactKind::error, &fact, sizeof fact, text, std::strlen(text) + 1);
}

void note_error(Slot& slot, int code) {
  int error_class = 0;
  real::Error_class(code, &error_class);
  slot.error = static_cast<std::uint8_t>(error_class < 255 ? error_class : 255);
  write_error_class(error_class);
}

}  // namespace petri::record
