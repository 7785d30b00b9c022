// One event: an intended operation of one rank, at a position in that rank's program order.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/op.hpp"
#include "kernels/types/element_type.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri {

// Values of an integer argument that are no rank, tag or count.
inline constexpr std::int32_t kUnset = -1000000;     // not recorded: unknown, and never compared
inline constexpr std::int32_t kAny = -1000001;       // MPI_ANY_SOURCE, MPI_ANY_TAG: "any"
inline constexpr std::int32_t kNull = -1000002;      // MPI_PROC_NULL, MPI_ROOT's counterpart, MPI_UNDEFINED: "null"
inline constexpr std::int32_t kRootHere = -1000003;  // MPI_ROOT of an intercommunicator: "root"
inline constexpr std::int64_t kUnknownCount = -1;

enum class EventState : std::uint8_t { unknown, scheduled, started, completed };

// Boundary data of a buffer: a digest tells identical bytes, the summary how wrong a number is. Fields that were not
// recorded stay empty.
struct Summary {
  std::string digest;  // "<algorithm>:<hex>"
  std::optional<double> min, max, sum, norm;
  std::optional<std::uint64_t> nan, inf;
  bool operator==(const Summary&) const = default;
};

// Payload made by a generator instead of being stored.
struct Fill {
  std::string generator;
  std::uint64_t seed = 0;
  double scale = 1.0;
  bool operator==(const Fill&) const = default;
};

// Memory that an operation reads or writes: [address, address + bytes) in the process that made the call.
struct Buffer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Buffer&) const = default;
};

// Arguments that few events have. Kept beside the event, so that the usual one stays small.
struct EventExtras {
  std::vector<std::int64_t> counts, sendcounts, recvcounts;
  std::int32_t matched = kUnset;  // the source that a wildcard got: a group rank, as `peer` is
  std::int32_t sendpeer = kUnset, recvpeer = kUnset, sendtag = kUnset, recvtag = kUnset;
  std::int64_t sendcount = kUnknownCount, recvcount = kUnknownCount;
  ElementType sendtype = ElementType::unknown, recvtype = ElementType::unknown;
  std::vector<std::uint32_t> requests;     // of waitall, testall, startall …
  std::vector<std::uint32_t> indices;      // which of them completed (waitsome, testsome); partitions (pready_list)
  std::optional<std::int32_t> index;       // which of them completed (waitany, testany); the partition (pready)
  std::optional<std::int32_t> partitions;  // of psend_init, precv_init
  std::optional<std::int64_t> message;     // of mprobe, mrecv
  std::uint64_t polls = 0;                 // failed polls that this event stands for
  std::vector<std::int32_t> ranks;         // members named by a creation, a post or a start: group ranks of comm
  // Topologies: this rank's neighbours, group ranks of the new communicator in the order of its neighbour collectives;
  // kNull where a process grid has an edge. A grid's extents and whether each is a ring.
  std::vector<std::int32_t> sources, destinations, dims, periods;
  std::optional<std::int32_t> color, key;  // color: kNull is MPI_UNDEFINED
  std::string remote;                      // of intercomm_create: the communicator in which `peer` is the remote leader
  // One-sided and file calls. A window and an open file have one name on all members, as a communicator has; `assert`
  // is a list of MPI's assertions ("noprecede,nosucceed"), `mode` a file's access mode ("create,wronly").
  std::string win, lock, assertions, file, path, mode;
  std::optional<std::int64_t> disp;  // of the target's memory or in the file, bytes
  std::optional<Buffer> sendbuffer, recvbuffer;
  std::string stream, event, category, value, error;  // event: of event_record, stream_wait, event_sync
  std::optional<std::int32_t> target, thread, device;
  std::optional<Summary> in, out;
  std::vector<double> values;  // payload written inline
  std::optional<Fill> fill;
  std::string npy;
  std::vector<std::pair<std::string, std::string>> free_keys;  // x_…: key and its JSON text
  bool operator==(const EventExtras&) const = default;
};

// An EventExtras or nothing. Copies share it until one of them is written; safe as far as shared_ptr is.
class ExtrasBox {
 public:
  // What is there, or defaults.
  const EventExtras& get() const {
    static const EventExtras none;
    return shared_ ? shared_->extras : none;
  }
  const EventExtras* operator->() const { return &get(); }
  // For writing; makes the extras when there are none. The reference holds until the box is copied: what is written
  // through it later would reach the copy as well.
  EventExtras& edit() {
    if (!shared_)
      shared_ = new Shared;
    else if (shared_->use_count() > 1)
      shared_ = new Shared(shared_->extras);
    return shared_->extras;
  }
  bool empty() const { return shared_ == nullptr; }
  bool same_as(const ExtrasBox& other) const { return shared_ == other.shared_; }  // one object, or both nothing
  bool operator==(const ExtrasBox& other) const { return shared_ == other.shared_ || get() == other.get(); }

 private:
  struct Shared : boost::intrusive_ref_counter<Shared, boost::thread_safe_counter> {
    Shared() = default;
    explicit Shared(const EventExtras& from) : extras(from) {}
    EventExtras extras;
  };
  boost::intrusive_ptr<Shared> shared_;
};

inline constexpr std::uint32_t kNoRequest = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int32_t kNoComm = -1;
inline constexpr std::uint32_t kNoSymbol = 0;  // symbol 0 is the empty text

// 64 bytes. The rank is implied: events are kept rank by rank. `root` and `peer` are group ranks of `comm`.
struct Event {
  Op op = Op::barrier;
  ElementType dtype = ElementType::unknown;
  ReduceOp reduce = ReduceOp::unknown;
  EventState state : 4 = EventState::unknown;
  std::int8_t flag : 4 = -1;  // outcome of a test or iprobe: 0, 1, or -1 for not recorded
  std::int32_t comm = 0;      // index in Scenario::comms; 0 is the world
  std::int64_t count = kUnknownCount;
  std::int32_t peer = kUnset;
  std::int32_t tag = kUnset;  // a missing tag is 0: see tag_of
  std::int32_t root = kUnset;
  std::uint32_t seq = 0;  // local sequence number; rises strictly within a rank
  std::int32_t step = kUnset;
  std::int32_t microbatch = kUnset;
  std::uint32_t site = kNoSymbol;  // call site, a symbol of the scenario
  std::uint32_t request = kNoRequest;
  std::int32_t new_comm = kNoComm;  // index in Scenario::comms of the communicator that this event makes
  std::int32_t coll_seq = kUnset;   // position on the communicator where the producer knows it
  ExtrasBox extras;
};

// What is not known makes no extras.
inline void set_matched(Event& event, std::int32_t source) {
  if (source != event.extras->matched) event.extras.edit().matched = source;
}

inline std::int32_t tag_of(const Event& event) {
  return event.tag == kUnset ? 0 : event.tag;
}

}  // namespace petri
