// The record that one MPI process leaves: a memory-mapped file, written by libpetri_record.so and read by anybody, also
// while the process runs or after it was killed. Plain memory, no third-party library.
//
// Where. One file per process in the folder named by PETRI_RECORD_DIR, or in `petri-record` below the current one;
// "<host>-<pid>-<nanoseconds>.petri-record". The job, world rank and size are inside once they are known, so that
// several jobs may share a folder. Best on a memory file system: a disk's write-back stops writers.
//
// What. A header page; an area of facts, which never wraps; a ring of 64-byte slots. The file is sparse: what is never
// touched costs no storage.
//
// Cost of an event: one slot of 64 bytes. Longer argument lists take further slots of 56 bytes of payload each: a
// waitall one for 14 requests, a v-collective one for 7 counts, a sendrecv one, a digest with its summary one.
//
// When the ring is full, the oldest events are overwritten. Default size: 16 MiB, 262,144 slots (PETRI_RECORD_RING, in
// MiB, rounded up to a power of two). The number of events lost is known, since events carry their local number; a
// collective carries its position on its communicator, so that ranks stay aligned when different numbers were lost.
//
// Writing order (MPI never hides it: x86-64 and the release stores below keep it also for a reader on another core):
//   begin:    stamp = 0, fields, stamp = its number (release), ring_head, events_begun
//   complete: result fields, state = completed (release), events_completed
// A slot whose stamp is not its own number is torn, stale or never written: nothing in it may be used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/trace/event.hpp"

namespace petri::record {

inline constexpr char kMagic[8] = {'P', 'E', 'T', 'R', 'I', 'R', 'E', 'C'};
inline constexpr std::uint32_t kLayoutVersion = 2;
inline constexpr std::size_t kSlotBytes = 64;
inline constexpr std::size_t kPayloadBytes = 56;  // of a continuation slot
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::uint64_t kFactBytes = 64ull << 20;  // sparse; a job that fills it loses later facts, counted
inline constexpr std::uint64_t kDefaultRingMiB = 16;
inline constexpr std::uint64_t kMaxRingMiB = 64 * 1024;
inline constexpr char kFileSuffix[] = ".petri-record";

// Changes with the table of operations, whose positions the slots store.
constexpr std::uint32_t op_table_fingerprint() {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  const auto add = [&hash](const char* name) {
    for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619u;
    hash = (hash ^ 0xffu) * 16777619u;
  };
#define PETRI_OP(name, kind, family, form, traits) add(#name);
#include "harness/trace/op.inc"
#undef PETRI_OP
  return hash;
}

enum class Ended : std::uint32_t { running, finalized, exited, aborted, signal };

// The first page. Numbers that change while the process runs are atomics; all but `ended` and `signal` have one writer.
struct Header {
  char magic[8];  // written last (release): before that the file is still being made
  std::uint32_t layout;
  std::uint32_t op_table;
  std::uint64_t file_bytes;
  std::uint64_t fact_offset, fact_bytes;
  std::uint64_t ring_offset, ring_slots;  // slots: a power of two
  std::int64_t pid;
  std::int64_t start_ns;  // CLOCK_REALTIME when the record began
  char host[256];         // zero-terminated
  // What tells the process from others: the job, equal for all of its processes; the running system, as boot and
  // process numbering (zero-terminated: equal where `pid` means the same); and when the process started, in clock
  // ticks.
  char job[128], system[128];
  std::uint64_t process_start;
  // Slots hold raw clock readings: seconds since the start are (reading - clock_start) / clock_hz.
  std::uint64_t clock_start;
  std::atomic<double> clock_hz;  // 0 until it is known, soon after init

  // Set by petri_step and petri_microbatch; kUnset outside. Beside the marks in the ring, for a ring without any.
  std::atomic<std::int32_t> step, microbatch;

  // -1 until known. Before init returns they are the launcher's word: that of mpirun, or of srun.
  std::atomic<std::int32_t> world_rank, world_size;

  // Polled by the watcher; on a cache line of its own.
  alignas(64) std::atomic<std::uint64_t> events_begun;
  std::atomic<std::uint64_t> events_completed;  // fewer than begun: the process is inside a call
  std::atomic<std::uint64_t> failed_polls;      // tests and probes that found nothing; no progress
  std::atomic<std::uint64_t> ring_head;         // slots written since the start; the next one's number

  alignas(64) std::atomic<std::uint64_t> facts_used;  // bytes of whole facts
  std::atomic<std::uint64_t> facts_lost;

  alignas(64) std::atomic<Ended> ended;
  std::atomic<std::int32_t> exit_status;  // of exit() or abort
  std::atomic<std::uint32_t> spawned;     // 1: made by MPI_Comm_spawn, no rank of the world that is recorded
  std::atomic<std::int32_t> signal;       // written by the launcher: the process is gone without having said so
};
static_assert(sizeof(Header) <= kHeaderBytes);
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

// Values of Slot::op that are no Op.
inline constexpr std::uint8_t kPart = 255;  // a continuation slot
inline constexpr std::uint8_t kMark = 254;  // a mark between events

// What the payload of a continuation slot holds. A list goes over consecutive slots of the same kind.
enum class Part : std::uint8_t {
  none,
  sides,       // struct Sides
  requests,    // std::uint32_t each: request number, kRequestDone where this call completed it, or kNullRequest
  counts,      // std::int64_t each
  sendcounts,  // std::int64_t each
  recvcounts,  // std::int64_t each
  ranks,       // std::int32_t each: members that a creation names, group ranks of its communicator
  in,          // struct Boundary: the send buffer before the call
  out,         // struct Boundary: the receive buffer after it
  dims,        // std::int32_t each: extents of a process grid
  periods,     // std::int32_t each: whether each of them is a ring
  indices,     // std::int32_t each: partitions
  text,        // bytes: path of file_open, string tag of comm_create_from_group
  buffers,     // struct Buffers
};

inline constexpr std::uint32_t kRequestDone = 1u << 31;        // bit of an entry of Part::requests
inline constexpr std::uint32_t kNullRequest = (1u << 31) - 1;  // MPI_REQUEST_NULL or a request made elsewhere

// Bits of Slot::flags.
inline constexpr std::uint8_t kFlagKnown = 1;  // the call reported a flag …
inline constexpr std::uint8_t kFlagTrue = 2;   // … and it was true
inline constexpr std::uint8_t kListCut = 4;    // a list was too long for the ring and is left out
inline constexpr std::uint8_t kNoComms = 8;    // creation gave MPI_COMM_NULL to this rank

// Slot::state is an EventState and, above it, the calling thread under MPI_THREAD_MULTIPLE: 0 made MPI_Init, others are
// numbered by their first call, and the last number stands for all that follow. An `exit` of a thread says that it has
// ended; its number is not used again.
inline constexpr int kThreadShift = 2;
inline constexpr std::uint8_t kLastThread = 63;
constexpr std::uint8_t packed_state(EventState state, int thread) {
  return static_cast<std::uint8_t>(static_cast<int>(state) | thread << kThreadShift);
}
constexpr EventState state_in(std::uint8_t packed) {
  return static_cast<EventState>(packed & ((1 << kThreadShift) - 1));
}
constexpr int thread_in(std::uint8_t packed) {
  return packed >> kThreadShift;
}

// Bits of Slot::tag in calls on windows.
inline constexpr std::int32_t kNoCheck = 1, kNoStore = 2, kNoPut = 4, kNoPrecede = 8, kNoSucceed = 16;  // assertions
inline constexpr std::int32_t kLockShared = 32, kLockExclusive = 64;

// Bits of Slot::tag in file_open: the access mode.
enum FileMode : std::int32_t {
  kModeReadOnly = 1,
  kModeWriteOnly = 2,
  kModeReadWrite = 4,
  kModeCreate = 8,
  kModeExclusive = 16,
  kModeDeleteOnClose = 32,
  kModeUniqueOpen = 64,
  kModeSequential = 128,
  kModeAppend = 256,
};

// One event. Ranks are group ranks of `comm`, on an intercommunicator of the group that the process is not in; kUnset,
// kAny and kNull are those of event.hpp.
//
// A window is named by the communicator that it was made over and its ordinal among those made over it, which is equal
// on all members; so is an open file. The other fields of calls on them, and of those on topologies, are:
//   window calls: tag = assertions and lock, matched = target, or position on the window (fence, free) or communicator;
//     win_test: count = the window's ordinal, as result counts its polls
//   put, get, accumulate …: peer and tag = displacement (see disp_of), in the target's unit; matched = target
//   file calls: peer and tag = displacement or offset in bytes, where there is one; matched = position on the file;
//     seek_shared: count = 0 set, 1 from the current place, 2 from the end
//   intercomm_create: peer = remote leader, matched = local leader, count = number of the peer communicator
//   psend_init, precv_init: matched = partitions; pready, parrived: peer = partition
struct alignas(kSlotBytes) Slot {
  std::atomic<std::uint32_t> stamp;  // low 32 bits of (slot number + 1)
  std::uint8_t op;                   // Op
  std::atomic<std::uint8_t> state;   // packed_state
  std::uint8_t dtype;                // ElementType
  std::uint8_t reduce;               // ReduceOp
  std::uint32_t seq;                 // event number, from 0
  std::int32_t comm;                 // local communicator number: a CommFact's id
  std::int32_t peer;                 // peer | root | color | message number of mrecv
  std::int32_t tag;                  // tag | key
  std::int64_t count;                // elements | ordinal of this creation on its parent | message number of mprobe
  std::uint64_t site;                // return address of the call; 0: unknown
  std::uint64_t time;                // clock reading at the begin; of the event before where the call is nonblocking
  std::uint32_t request;             // request that the call makes, waits for or frees; kNoRequest
  std::int32_t matched;              // source that a wildcard got | index of waitany | position on the communicator
  std::int32_t result;               // tag that MPI_ANY_TAG got | failed polls | new communicator's local number |
                                     // ordinal of a window or file on its communicator
  std::uint8_t flags;
  std::uint8_t error;   // MPI error class that the call returned or reported; 0: none. Its name is an ErrorFact
  std::uint16_t parts;  // continuation slots that follow
};
static_assert(sizeof(Slot) == kSlotBytes);

// 64 bits in the place of two arguments that calls with a displacement do not have; negative: unknown.
inline constexpr std::int64_t kNoDisp = -1;
inline void set_disp(Slot& slot, std::int64_t disp) {
  slot.peer = static_cast<std::int32_t>(static_cast<std::uint64_t>(disp));
  slot.tag = static_cast<std::int32_t>(static_cast<std::uint64_t>(disp) >> 32);
}
inline std::int64_t disp_of(const Slot& slot) {
  return static_cast<std::int64_t>((std::uint64_t{static_cast<std::uint32_t>(slot.tag)} << 32) |
                                   static_cast<std::uint32_t>(slot.peer));
}

struct alignas(kSlotBytes) PartSlot {
  std::atomic<std::uint32_t> stamp;
  std::uint8_t op;     // kPart
  std::uint8_t kind;   // Part
  std::uint16_t used;  // bytes of payload
  alignas(8) unsigned char payload[kPayloadBytes];
};
static_assert(sizeof(PartSlot) == kSlotBytes);

// From here on the program is in this step and microbatch. With what was before, for events whose own mark is
// overwritten.
struct alignas(kSlotBytes) MarkSlot {
  std::atomic<std::uint32_t> stamp;
  std::uint8_t op;  // kMark
  std::uint8_t unused[3];
  std::int32_t step_before, microbatch_before;  // kUnset: none
  std::int32_t step, microbatch;
};
static_assert(sizeof(MarkSlot) == kSlotBytes);

// Both sides of a call that sends and receives, where they differ.
struct Sides {
  std::int64_t sendcount, recvcount;
  std::int32_t sendpeer, recvpeer, sendtag, recvtag;  // kUnset on collectives
  std::uint8_t sendtype, recvtype;                    // ElementType
};
static_assert(sizeof(Sides) <= kPayloadBytes);

// Digest and summary of one buffer.
struct Boundary {
  unsigned char digest[16];  // XXH3, 128 bits, canonical (big-endian) form
  double min, max, sum, norm;
  std::uint32_t nan, inf;  // saturating
};
static_assert(sizeof(Boundary) == kPayloadBytes);

// Memory that a call reads and memory that it writes, from the first byte to the last; 0 bytes: none, or with
// gaps between what is touched. Recorded on request (PETRI_RECORD_BUFFERS=1).
struct Buffers {
  std::uint64_t send_address, send_bytes, recv_address, recv_bytes;
};
static_assert(sizeof(Buffers) <= kPayloadBytes);

// Facts: what must not be lost when the ring wraps. Each starts 8-byte aligned with
// this head; those below Header::facts_used are whole.
enum class FactKind : std::uint32_t { none, comm, module, error, text, topology, window };

struct FactHead {
  FactKind kind;
  std::uint32_t bytes;  // of the whole fact, head included, before the padding to 8
};

enum class CommKind : std::uint8_t {
  world,
  self,
  created,  // by a recorded call on a known parent
  unknown,  // made by a call that is not recorded
  outside,  // by a recorded call, and with members in another world: those of spawned or connected processes
};

inline constexpr std::int32_t kWorldComm = 0;
inline constexpr std::int32_t kSelfComm = 1;
inline constexpr std::int32_t kNoLocalComm = -1;

// Followed by `listed` world ranks in group order, on an intercommunicator by the `remote_listed` ones of the other
// group, and by the string tag of comm_create_from_group, zero-terminated. None listed: all of the parent's members in
// the parent's order. An intercommunicator lists both groups, but for one with members outside.
struct CommFact {
  FactHead head;
  std::int32_t id, parent;  // local numbers
  std::int32_t ordinal;     // which creation on the parent this is, from 0, equal on all members; -1: by group and tag
  std::int32_t tag;         // of comm_create_group, intercomm_create
  std::int32_t size, listed, remote_listed;
  CommKind kind;
  std::uint8_t op;  // Op that made it
  std::uint8_t unused[2];
};

// Of a communicator with a topology. Followed by this rank's `sources` and `destinations` in the order of neighbourhood
// collectives, the extents of a process grid and whether each is a ring, std::int32_t each.
struct TopologyFact {
  FactHead head;
  std::int32_t comm;
  std::int32_t sources, destinations, dims;
};

// Of a window: what a displacement counts in this process's memory.
struct WindowFact {
  FactHead head;
  std::int32_t comm, ordinal;
  std::int64_t disp_unit;
};

// A loaded file: addresses from `begin` to `end` lie in it, `bias` is what was added to those of its own. Followed by
// the path, zero-terminated.
struct ModuleFact {
  FactHead head;
  std::uint64_t begin, end, bias;
};

// Followed by the class's name and meaning, zero-terminated, e.g. "MPI_ERR_TRUNCATE: message truncated".
struct ErrorFact {
  FactHead head;
  std::int32_t error_class, unused;
};

// Followed by "key=value", zero-terminated; it goes into the scenario's environment.
struct TextFact {
  FactHead head;
};

}  // namespace petri::record
