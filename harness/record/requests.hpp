// From MPI's request handles to request numbers, which are unique within a rank though MPI uses handles again.
#pragma once

#include <cstdint>

#include "harness/record/real_mpi.hpp"
#include "harness/record/recorder.hpp"

namespace petri::record {

// What is left to do when the request completes; few requests have it.
struct Later {
  OutBuffer out;
  bool makes_comm;    // comm_idup
  MPI_Comm new_comm;  // its handle, which Open MPI gives at once, and which may be used once the request is complete
  MPI_Comm parent;
  std::int32_t ordinal;
};

// Strict mode: what keeps the request of a collective from being complete.
struct Hold {
  Meeting* meeting;  // of what is under way; null: nothing keeps it
  Venue starts;      // of a persistent request, …
  std::int32_t started;
  Op op;
};

struct RequestEntry {
  std::uint64_t event;  // slot number of the event that made it, or that last started it
  std::uint32_t number;
  bool wild;  // a receive with a wildcard: what matched is known at completion
  bool receives;
  std::uint64_t cancel;  // 1 + slot number of the event that asked for its cancellation, or 0
  bool persistent;       // stays after its completion, until it is freed (MPI 4.1, section 3.9)
  bool started;          // of a persistent one: it is active
  Later* later;          // owned; null for most
  Hold* hold;            // owned; null outside strict mode
};

// Registers a new request; `location` is where the program keeps the handle at first, a Fortran
// program its INTEGER.
RequestEntry* add_request(MPI_Request handle, const void* location, const RequestEntry& entry);
RequestEntry* find_request(MPI_Request handle);
void forget_request(MPI_Request handle);
// For good; what is held back is let go.
void drop_request(MPI_Request handle);

// The requests of one wait or test. Looks their numbers up before the call and settles what completed after it.
class RequestSet {
 public:
  RequestSet(const MPI_Request* requests, int n, const void* return_address);
  ~RequestSet();  // those that did not complete go back
  RequestSet(const RequestSet&) = delete;
  RequestSet& operator=(const RequestSet&) = delete;

  int size() const { return size_; }
  bool any_known() const { return known_ > 0; }
  bool any_active() const { return active_ > 0; }
  // Some request's outcome is in its status: the call must get a status array even if the program ignores it.
  bool wants_status() const { return wants_status_; }
  const std::uint32_t* numbers() const { return numbers_; }
  std::uint32_t number(int i) const { return numbers_[i]; }
  // Equal for equal sets, as far as 64 bits can tell.
  std::uint64_t key() const { return key_; }

  // Strict mode: must one of them not complete yet? Asks anew each time; `held_back` tells which, as of then.
  bool any_held_back();
  bool held_back(int i) const { return items_[i].held_back; }

  // Request i completed; `status` may be null where none was wanted.
  void complete(int i, const MPI_Status* status);
  // The calls that report nothing else: those complete whose handle MPI has replaced, and where all went well the
  // persistent ones, which keep theirs.
  void complete_replaced(const MPI_Request* requests, const MPI_Status* statuses, bool all_went_well);

 private:
  struct Item {
    MPI_Request handle;
    std::uint64_t shared;  // 1 + its place in the queue of operations that completed at once, or 0
    bool done;
    bool persistent;
    bool held_back;
    Meeting* meeting;
  };
  static constexpr int kFew = 16;

  void look_up(int i, MPI_Request handle, const void* location);

  int size_;
  int known_ = 0, active_ = 0, meetings_ = 0;
  bool wants_status_ = false;
  std::uint64_t key_ = 0x9e3779b97f4a7c15ull;
  Item few_items_[kFew];
  std::uint32_t few_numbers_[kFew];
  Item* items_ = few_items_;
  std::uint32_t* numbers_ = few_numbers_;
};

// Statuses for a call whose caller ignores them. Kept for the thread; null when there is no memory.
MPI_Status* own_statuses(int n);
// The same for a list of requests.
MPI_Request* own_requests(int n);

// The event that stands for the failed polls of this set since something last happened; nothing when there is none yet.
// `remember` makes the event with that slot number the one.
bool count_failed_poll(Op op, std::uint64_t key);
void remember_failed_poll(Op op, std::uint64_t key, std::uint64_t event);

}  // namespace petri::record
