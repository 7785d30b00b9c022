#include "harness/record/requests.hpp"

#include <cstdlib>
#include <cstring>

#include "harness/record/handles.hpp"
#include "harness/record/pointer_map.hpp"

namespace petri::record {
namespace {

PointerMap<RequestEntry> requests;

// Operations that completed at once all get one and the same handle in Open MPI. Which of them a wait means is told by
// where the program keeps the handle; when it moved it, the oldest is as good as any: all are complete.
struct SharedRequest {
  RequestEntry entry;
  const void* location;
  enum : std::uint8_t { gone, waiting, claimed } place;
};

class SharedRequests {
 public:
  RequestEntry* add(const void* location, const RequestEntry& entry) {
    if (last_ - first_ == capacity_ && !grow()) return nullptr;
    SharedRequest& made = at(last_);
    made = {entry, location, SharedRequest::waiting};
    newest_[slot_of(location)] = last_++;
    return &made.entry;
  }

  // 1 + the place of the request that is now claimed; 0 when there is none.
  std::uint64_t claim(const void* location) {
    std::uint64_t place = newest_[slot_of(location)];
    if (place < first_ || place >= last_ || at(place).place != SharedRequest::waiting ||
        at(place).location != location) {
      for (place = first_; place < last_ && at(place).place != SharedRequest::waiting;) ++place;
      if (place == last_) return 0;
    }
    at(place).place = SharedRequest::claimed;
    return place + 1;
  }

  void give_back(std::uint64_t claim) { at(claim - 1).place = SharedRequest::waiting; }

  void remove(std::uint64_t claim) {
    at(claim - 1).place = SharedRequest::gone;
    while (first_ < last_ && at(first_).place == SharedRequest::gone) ++first_;
  }

  RequestEntry& entry(std::uint64_t claim) { return at(claim - 1).entry; }

 private:
  static std::size_t slot_of(const void* location) {
    return hash_of(reinterpret_cast<std::uintptr_t>(location)) % kPlaces;
  }
  SharedRequest& at(std::uint64_t place) { return ring_[place & (capacity_ - 1)]; }

  bool grow() {
    const std::uint64_t wanted = capacity_ == 0 ? 256 : 2 * capacity_;
    auto* fresh = static_cast<SharedRequest*>(std::calloc(wanted, sizeof(SharedRequest)));
    if (fresh == nullptr) return false;
    for (std::uint64_t place = first_; place < last_; ++place) fresh[place & (wanted - 1)] = at(place);
    std::free(ring_);
    ring_ = fresh;
    capacity_ = wanted;
    return true;
  }

  static constexpr std::size_t kPlaces = 4096;

  std::uint64_t newest_[kPlaces] = {};  // by location: the latest there, possibly overwritten by another location's
  SharedRequest* ring_ = nullptr;
  std::uint64_t capacity_ = 0, first_ = 0, last_ = 0;
};

SharedRequests shared;

struct Scratch {
  void* memory;
  std::size_t bytes;
};

void* scratch_of(Scratch& scratch, std::size_t bytes) {
  if (scratch.bytes >= bytes) return scratch.memory;
  void* larger = std::realloc(scratch.memory, 2 * bytes);
  if (larger == nullptr) return nullptr;
  scratch = {larger, 2 * bytes};
  return larger;
}

thread_local Scratch item_scratch __attribute__((tls_model("initial-exec")));
thread_local Scratch number_scratch __attribute__((tls_model("initial-exec")));
thread_local Scratch status_scratch __attribute__((tls_model("initial-exec")));
thread_local Scratch request_scratch __attribute__((tls_model("initial-exec")));

// Whether the request was cancelled indeed; the event that asked for that then says so, or that it completed all the
// same.
bool was_cancelled(const RequestEntry& entry, const MPI_Status& status) {
  int cancelled = 0;
  if (entry.cancel == 0 || real::Test_cancelled(&status, &cancelled) != MPI_SUCCESS) return false;
  if (Slot* slot = slot_if_kept(entry.cancel - 1)) slot->flags |= kFlagKnown | (cancelled != 0 ? kFlagTrue : 0);
  return cancelled != 0;
}

void settle_later(const RequestEntry& entry, const MPI_Status* status) {
  Later& later = *entry.later;
  if (later.out.data != nullptr) {
    if (entry.receives && status != nullptr) later.out.count = received_count(later.out, *status);
    take_out(later.out);
  }
  if (later.makes_comm) {
    const CommEntry* parent = comm_entry(later.parent);
    const CommEntry* made =
        parent != nullptr ? register_created(later.new_comm, *parent, Op::comm_idup, later.ordinal, 0) : nullptr;
    Slot* slot = slot_if_kept(entry.event);
    if (made != nullptr && slot != nullptr) slot->result = made->id;
  }
  std::free(entry.later);
}

void let_go(RequestEntry& entry) {
  if (entry.hold == nullptr) return;
  leave_meeting(entry.hold->meeting);
  entry.hold->meeting = nullptr;
  if (entry.persistent) return;
  drop_venue(entry.hold->starts);
  std::free(entry.hold);
  entry.hold = nullptr;
}

void settle(const RequestEntry& entry, const MPI_Status* status) {
  const bool cancelled = status != nullptr && was_cancelled(entry, *status);
  if (entry.wild && status != nullptr && !cancelled)
    if (Slot* slot = slot_if_kept(entry.event)) note_match(*slot, *status);
  if (entry.later != nullptr) settle_later(entry, status);
}

}  // namespace

RequestEntry* add_request(MPI_Request handle, const void* location, const RequestEntry& entry) {
  if (handle == handles.empty_request) return shared.add(location, entry);
  return requests.insert(key_of(handle), entry);
}

RequestEntry* find_request(MPI_Request handle) {
  return requests.find(key_of(handle));
}

void forget_request(MPI_Request handle) {
  requests.erase(key_of(handle));
}

void drop_request(MPI_Request handle) {
  RequestEntry* entry = find_request(handle);
  if (entry == nullptr) return;
  entry->persistent = false;
  let_go(*entry);
  forget_request(handle);
}

RequestSet::RequestSet(const MPI_Request* requests_given, int n, const void* return_address) : size_(n > 0 ? n : 0) {
  if (size_ > kFew) {
    const auto wanted = static_cast<std::size_t>(size_);
    items_ = static_cast<Item*>(scratch_of(item_scratch, wanted * sizeof(Item)));
    numbers_ = static_cast<std::uint32_t*>(scratch_of(number_scratch, wanted * sizeof(std::uint32_t)));
    if (items_ == nullptr || numbers_ == nullptr) size_ = 0;
  }
  const Locked locked;
  const auto* fortran = static_cast<const int*>(fortran_requests(return_address));
  for (int i = 0; i < size_; ++i)
    look_up(i, requests_given[i], fortran != nullptr ? static_cast<const void*>(&fortran[i]) : &requests_given[i]);
}

void RequestSet::look_up(int i, MPI_Request handle, const void* location) {
  items_[i] = {handle, 0, true, false, false, nullptr};
  numbers_[i] = kNullRequest;
  key_ = (key_ ^ key_of(handle)) * 0x100000001b3ull;
  if (handle == handles.no_request) return;
  const RequestEntry* entry = nullptr;
  if (handle == handles.empty_request) {
    items_[i].shared = shared.claim(location);
    if (items_[i].shared != 0) entry = &shared.entry(items_[i].shared);
  } else {
    entry = find_request(handle);
  }
  if (entry != nullptr && entry->persistent && !entry->started) return;  // inactive: like a null request
  ++active_;
  if (entry == nullptr) return;  // made by a call that is not recorded
  ++known_;
  items_[i].persistent = entry->persistent;
  items_[i].done = false;
  numbers_[i] = entry->number;
  if (entry->hold != nullptr) {
    items_[i].meeting = entry->hold->meeting;
    ++meetings_;
  }
  wants_status_ = wants_status_ || entry->wild || entry->cancel != 0 || (entry->later != nullptr && entry->receives);
}

RequestSet::~RequestSet() {
  const Locked locked;
  for (int i = 0; i < size_; ++i)
    if (!items_[i].done && items_[i].shared != 0) shared.give_back(items_[i].shared);
}

void RequestSet::complete(int i, const MPI_Status* status) {
  if (i < 0 || i >= size_ || items_[i].done) return;
  Item& item = items_[i];
  item.done = true;
  const Locked locked;
  if (item.shared != 0) {
    let_go(shared.entry(item.shared));
    settle(shared.entry(item.shared), status);
    shared.remove(item.shared);
    return;
  }
  RequestEntry* entry = find_request(item.handle);
  if (entry == nullptr) return;
  let_go(*entry);
  const RequestEntry settled = *entry;
  if (entry->persistent) {
    entry->started = false;
    entry->cancel = 0;
  } else {
    forget_request(item.handle);
  }
  settle(settled, status);
}

void RequestSet::complete_replaced(const MPI_Request* requests_left, const MPI_Status* statuses, bool all_went_well) {
  for (int i = 0; i < size_; ++i)
    if (requests_left[i] != items_[i].handle || (items_[i].persistent && all_went_well))
      complete(i, statuses != nullptr ? &statuses[i] : nullptr);
}

bool RequestSet::any_held_back() {
  if (meetings_ == 0) return false;
  bool any = false;
  for (int i = 0; i < size_; ++i) {
    items_[i].held_back = !items_[i].done && !is_over(items_[i].meeting);
    any = any || items_[i].held_back;
  }
  return any;
}

MPI_Request* own_requests(int n) {
  return static_cast<MPI_Request*>(
      scratch_of(request_scratch, static_cast<std::size_t>(n > 0 ? n : 1) * sizeof(MPI_Request)));
}

MPI_Status* own_statuses(int n) {
  return static_cast<MPI_Status*>(
      scratch_of(status_scratch, static_cast<std::size_t>(n > 0 ? n : 1) * sizeof(MPI_Status)));
}

namespace {

// Failed polls since the last event that is none. A loop may poll several sets in turn; each has its event.
struct PollPlace {
  std::uint64_t key, epoch, event;
};
constexpr std::size_t kPollPlaces = 1024;
PollPlace polls[kPollPlaces];

std::uint64_t poll_key(Op op, std::uint64_t key) {
  return (key ^ static_cast<std::uint64_t>(op)) * 0x9e3779b97f4a7c15ull;
}

}  // namespace

bool count_failed_poll(Op op, std::uint64_t key) {
  // A watcher tells a rank that polls from one that computes by this.
  std::atomic<std::uint64_t>& polls_so_far = state.header->failed_polls;
  polls_so_far.store(polls_so_far.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const std::uint64_t full = poll_key(op, key);
  const PollPlace& place = polls[full >> 54];
  if (place.key != full || place.epoch != state.poll_epoch) return false;
  Slot* slot = slot_if_kept(place.event);
  if (slot == nullptr) return false;
  if (slot->result < INT32_MAX) ++slot->result;
  return true;
}

void remember_failed_poll(Op op, std::uint64_t key, std::uint64_t event) {
  const std::uint64_t full = poll_key(op, key);
  polls[full >> 54] = {full, state.poll_epoch, event};
}

}  // namespace petri::record
