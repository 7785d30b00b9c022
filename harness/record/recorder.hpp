// The recorder's state and the writing of events: what every wrapped call goes through.
//
// Cost of a call: one 64-byte slot written, one clock reading at most, four stores to counters. No lock unless the
// program asked for MPI_THREAD_MULTIPLE, no allocation unless a new handle makes a table grow.
#pragma once

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "harness/record/call_site.hpp"
#include "harness/record/comms.hpp"
#include "harness/record/datatypes.hpp"
#include "harness/record/real_mpi.hpp"
#include "harness/trace/record_layout.hpp"

#define PETRI_SITE __builtin_extract_return_addr(__builtin_return_address(0))

namespace petri::record {

struct State {
  bool recording = false;   // between MPI_Init and the end of MPI_Finalize
  bool threaded = false;    // MPI_THREAD_MULTIPLE was granted, or more than the granted threads make calls
  bool one_thread = false;  // MPI_THREAD_SINGLE or MPI_THREAD_FUNNELED was granted
  bool strict = false;      // PETRI_STRICT
  bool digests = false;     // PETRI_RECORD_DIGESTS
  bool buffers = false;     // PETRI_RECORD_BUFFERS
  bool observes = false;    // one of the two
  Header* header = nullptr;
  unsigned char* ring = nullptr;
  std::uint64_t mask = 0;       // slots - 1
  std::uint64_t head = 0;       // number of the next slot
  std::uint64_t populated = 0;  // slots below this one have memory behind them
  std::uint64_t begun = 0, completed = 0;
  std::uint64_t poll_epoch = 1;  // changes with every event that is no failed poll
  std::uint64_t clock = 0;       // the latest reading
  std::uint32_t next_request = 0;
  std::int32_t next_message = 0;
  std::int32_t step = kUnset, microbatch = kUnset;
  pthread_mutex_t mutex;
};

extern State state;

// Depth of wrapped calls on this thread: what MPI or a callback calls within a call is not the program's. Below 0 where
// the thread has made none.
extern constinit thread_local int depth __attribute__((tls_model("initial-exec")));

// Number of the calling thread, at most kLastThread; under the recorder's lock.
std::uint8_t thread_number();
// From here on the record says when a thread ends that has made calls; where several threads may make calls at once.
void watch_threads();

// Opens the record of this process; called once, by MPI_Init. Where nothing is to be recorded, it stays closed.
void open_record();
// After MPI_Init returned: handles, world, threads, facts.
void learn_world();
void close_record();
// The recorder's word on how the process ends; the first end that is not `running` stays.
void note_end(Ended how, int status);

// Facts, see record_layout.hpp. A fact that does not fit is counted as lost.
void write_fact(FactKind kind, void* fact, std::size_t bytes, const void* rest, std::size_t rest_bytes);
void write_text(const char* key, const char* value);
// Writes the class of an error that the event's call returned or reported.
void note_error(Slot& slot, int code);

// The cheapest clock there is: event times are advisory. Header::clock_hz gives its unit.
inline std::uint64_t read_clock() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

// Held while the recorder's tables or the ring change; nothing unless threads may call MPI at once. Recursive.
class Locked {
 public:
  Locked() {
    if (__builtin_expect(state.threaded, 0)) pthread_mutex_lock(&state.mutex);
  }
  ~Locked() {
    if (__builtin_expect(state.threaded, 0)) pthread_mutex_unlock(&state.mutex);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

inline Slot& slot_at(std::uint64_t number) {
  return reinterpret_cast<Slot*>(state.ring)[number & state.mask];
}

// The slot while it still holds event `number`; nothing once the ring came round.
inline Slot* slot_if_kept(std::uint64_t number) {
  Slot& slot = slot_at(number);
  return slot.stamp.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(number + 1) ? &slot : nullptr;
}

// The ring is larger than a cache; so many slots ahead are fetched for writing.
inline constexpr std::uint64_t kSlotsAhead = 6;

// On the ring's first lap: gets the next piece of memory from the system at once, since a page fault for each 64 events
// costs as much as writing them.
void populate_ring();

// The first call of this thread; true.
bool meet_thread();

inline bool records_here() {
  return state.recording && (depth == 0 || (depth < 0 && meet_thread()));
}

// From here on the program is in this step and microbatch; kUnset: in none. Writes a mark where something is recorded.
void enter(std::int32_t step, std::int32_t microbatch);

// Moves the head behind `n` slots, and lets readers see them.
inline void advance(std::uint64_t n) {
  state.head += n;
  if (__builtin_expect(state.head + kSlotsAhead > state.populated, 0)) populate_ring();
  __builtin_prefetch(&slot_at(state.head + kSlotsAhead), 1);
  state.header->ring_head.store(state.head, std::memory_order_release);
}

// Runs a call that is no event; what it calls in turn is not the program's.
template <class MpiCall>
int within_call(const MpiCall& call) {
  depth = 1;
  const int result = call();
  depth = 0;
  return result;
}

// A call in progress that becomes an event when it returns. Where an error ends the process within it, `write` begins
// the event.
struct Unrecorded {
  void (*write)(const void* self);
  const void* self;
};
extern constinit thread_local const Unrecorded* unrecorded __attribute__((tls_model("initial-exec")));

// Runs a call that is recorded afterwards.
template <class Begin, class MpiCall>
int before_event(const Begin& begin, const MpiCall& call) {
  const Unrecorded here{[](const void* self) { (*static_cast<const Begin*>(self))(); }, &begin};
  unrecorded = &here;
  const int result = within_call(call);
  unrecorded = nullptr;
  return result;
}

// A buffer whose digest is taken when the operation is complete.
struct OutBuffer {
  const void* data = nullptr;
  std::int64_t count = 0;
  FlatType type{};
  std::uint64_t part = 0;  // number of the reserved continuation slot
};

struct RequestEntry;

void take_out(const OutBuffer& out);
// Elements that a receive into this buffer got.
std::int64_t received_count(const OutBuffer& out, const MPI_Status& status);
// Writes what a wildcard matched.
void note_match(Slot& slot, const MPI_Status& status);

// One wrapped call. Construct, describe the arguments, begin(), call MPI, describe the results, end(). Everything is
// skipped in a call that is not the program's, and when nothing is recorded.
class Call {
 public:
  Call(Op op, const void* site, MPI_Comm comm);  // a call on a communicator
  Call(Op op, const void* site);                 // one without
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool active() const { return slot_ != nullptr; }
  CommEntry* comm() const { return comm_; }
  const Venue* venue() const { return venue_; }     // where it is a collective
  std::uint64_t number() const { return number_; }  // of its slot
  Slot& slot() { return *slot_; }

  // Arguments, before begin().
  void data(std::int64_t count, MPI_Datatype type);
  void to(int rank, int tag);             // of a send
  void from(int rank, int tag);           // of a receive or probe
  void receives_from(int rank, int tag);  // the same of a call whose sides are in a list
  void receives_message(MPI_Message message);
  void root(int rank);
  void reduction(MPI_Op op);
  void positional();                                             // takes the next position on the communicator
  void takes_place(const Venue& venue, std::int32_t position) {  // elsewhere
    slot_->matched = position;
    venue_ = &venue;
  }
  void sides(const Sides& sides);
  void list(Part kind, const std::uint32_t* values, std::int64_t n);
  void list(Part kind, const int* values, std::int64_t n);
  void scaled_list(Part kind, const int* values, std::int64_t n, std::int64_t scale);
  void text(const char* text);
  void typed_list(Part kind, const int* values, const MPI_Datatype* types, std::int64_t n);
  // What the call reads and what it writes: digests and buffers are recorded on request only.
  void in(const void* buffer, std::int64_t count, MPI_Datatype type) {
    if (__builtin_expect(state.observes, 0)) observe_in(buffer, count, type);
  }
  void out(const void* buffer, std::int64_t count, MPI_Datatype type) {
    if (__builtin_expect(state.observes, 0)) observe_out(buffer, count, type);
  }
  // The same without a digest, also of several pieces: one after the other.
  void reads(const void* buffer, std::int64_t count, MPI_Datatype type) {
    if (__builtin_expect(state.buffers, 0)) note_buffer(false, buffer, count, type);
  }
  void writes(const void* buffer, std::int64_t count, MPI_Datatype type) {
    if (__builtin_expect(state.buffers, 0)) note_buffer(true, buffer, count, type);
  }
  // The call makes a persistent request: what is in its buffers does not matter yet.
  void starts_later() { starts_later_ = true; }
  void new_request();  // the call makes a request and gives it a number

  void begin();  // from here on a watcher sees the call as started

  // Results, between the MPI call and end().
  bool wants_status() const { return active() && (wild() || out_.data != nullptr); }
  void received(const MPI_Status& status);  // the outcome of a receive or probe, where wants_status()
  void took_message(MPI_Message message);   // of a matched probe
  void flag(bool value);
  // The nonblocking call succeeded: a wait or test will complete the request.
  RequestEntry* pending(const MPI_Request* request);
  int end(int status);  // returns what it got

  // Instead of begin() and end(): an event that stands for one failed poll so far.
  int end_failed_poll(int status);

 private:
  void open(Op op, const void* return_address);
  bool wild() const { return wild_; }
  void stamp_time();
  void commit();
  PartSlot* add_part(Part kind);
  void observe_in(const void* buffer, std::int64_t count, MPI_Datatype type);
  void observe_out(const void* buffer, std::int64_t count, MPI_Datatype type);
  void digest_in(const void* buffer, std::int64_t count, MPI_Datatype type);
  void digest_out(const void* buffer, std::int64_t count, MPI_Datatype type);
  void note_buffer(bool written, const void* buffer, std::int64_t count, MPI_Datatype type);

  Slot* slot_ = nullptr;
  CommEntry* comm_ = nullptr;
  const Venue* venue_ = nullptr;
  std::uint64_t number_ = 0;
  std::uint32_t parts_ = 0;
  std::uint8_t thread_ = 0;
  bool locked_ = false;
  bool wild_ = false;      // receives from any source or any tag
  bool receives_ = false;  // its status tells how much came
  bool starts_later_ = false;
  bool reads_apart_ = false, writes_apart_ = false;  // memory with gaps, which is left out
  std::uint64_t buffers_ = 0;  // number of the continuation slot with the buffers; 0: there is none
  std::uint32_t number_of_request_ = kNoRequest;
  const void* fortran_requests_ = nullptr;  // where a Fortran caller keeps the request
  OutBuffer out_;
};

inline std::int32_t rank_value(int rank) {
  if (rank >= 0) return rank;
  if (rank == MPI_ANY_SOURCE) return kAny;
  if (rank == MPI_PROC_NULL) return kNull;
  if (rank == MPI_ROOT) return kRootHere;
  return rank;  // an invalid argument is recorded as it is
}

inline std::int32_t tag_value(int tag) {
  return tag == MPI_ANY_TAG ? kAny : tag;
}

inline void Call::open(Op op, const void* return_address) {
  depth = 1;
  locked_ = state.threaded;
  if (__builtin_expect(locked_, 0)) pthread_mutex_lock(&state.mutex);
  const FortranCall caller = call_of(return_address);
  fortran_requests_ = caller.requests;
  number_ = state.head;
  Slot& slot = slot_at(number_);
  slot.stamp.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot.op = static_cast<std::uint8_t>(op);
  thread_ = __builtin_expect(locked_, 0) ? thread_number() : 0;
  slot.state.store(packed_state(EventState::started, thread_), std::memory_order_relaxed);
  slot.dtype = static_cast<std::uint8_t>(ElementType::unknown);
  slot.reduce = static_cast<std::uint8_t>(ReduceOp::unknown);
  slot.seq = static_cast<std::uint32_t>(state.begun);
  slot.comm = kWorldComm;
  slot.peer = kUnset;
  slot.tag = kUnset;
  slot.count = kUnknownCount;
  slot.site = reinterpret_cast<std::uint64_t>(caller.site);
  slot.request = kNoRequest;
  slot.matched = kUnset;
  slot.result = kUnset;
  slot.flags = 0;
  slot.error = 0;
  slot.parts = 0;
  slot_ = &slot;
}

inline Call::Call(Op op, const void* site) {
  if (records_here()) open(op, site);
}

inline Call::Call(Op op, const void* site, MPI_Comm comm) {
  if (!records_here()) return;
  open(op, site);
  comm_ = comm_entry(comm);
  slot_->comm = comm_ != nullptr ? comm_->id : kNoLocalComm;
}

// A call that was opened and not begun leaves no trace: the slot's stamp says that it is torn, and the head did not
// move.
inline Call::~Call() {
  if (slot_ == nullptr) return;
  if (locked_) pthread_mutex_unlock(&state.mutex);
  depth = 0;
}

inline void Call::data(std::int64_t count, MPI_Datatype type) {
  if (!active()) return;
  const FlatType& flat = flatten(type);
  slot_->dtype = static_cast<std::uint8_t>(flat.basic);
  slot_->count = count * flat.per_element;
}

inline void Call::root(int rank) {
  if (active()) slot_->peer = rank_value(rank);
}

inline void Call::to(int rank, int tag) {
  if (!active()) return;
  slot_->peer = rank_value(rank);
  slot_->tag = tag_value(tag);
}

inline void Call::from(int rank, int tag) {
  to(rank, tag);
  receives_from(rank, tag);
}

inline void Call::receives_from(int rank, int tag) {
  receives_ = true;
  wild_ = rank == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
}

inline void Call::reduction(MPI_Op op) {
  if (active()) slot_->reduce = static_cast<std::uint8_t>(reduce_op_of(op));
}

inline void Call::positional() {
  if (active() && comm_ != nullptr) takes_place(comm_->venue, comm_->positions++);
}

inline void Call::new_request() {
  if (active()) slot_->request = number_of_request_ = state.next_request++;
}

// A nonblocking call takes the reading of the call before it: reading the clock is a third of what recording costs.
inline void Call::stamp_time() {
  if (number_of_request_ == kNoRequest) state.clock = read_clock();
  slot_->time = state.clock;
}

inline void Call::commit() {
  stamp_time();
  slot_->parts = static_cast<std::uint16_t>(parts_);
  slot_->stamp.store(static_cast<std::uint32_t>(number_ + 1), std::memory_order_release);
  advance(1 + parts_);
  state.header->events_begun.store(++state.begun, std::memory_order_release);
}

inline void Call::begin() {
  if (!active()) return;
  ++state.poll_epoch;
  commit();
  if (__builtin_expect(locked_, 0)) {
    pthread_mutex_unlock(&state.mutex);
    locked_ = false;
  }
}

inline void Call::flag(bool value) {
  if (active()) slot_->flags = static_cast<std::uint8_t>(slot_->flags | kFlagKnown | (value ? kFlagTrue : 0));
}

inline int Call::end(int status) {
  if (!active()) return status;
  const Locked locked;
  // Other threads may have filled the ring meanwhile.
  if (Slot* slot = slot_if_kept(number_)) {
    if (__builtin_expect(status != MPI_SUCCESS, 0)) {
      note_error(*slot, status);
    } else if (__builtin_expect(out_.data != nullptr, 0)) {
      take_out(out_);
    }
    slot->state.store(packed_state(EventState::completed, thread_), std::memory_order_release);
  }
  state.header->events_completed.store(++state.completed, std::memory_order_release);
  return status;
}

}  // namespace petri::record
