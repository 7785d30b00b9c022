// One dump of PyTorch's Flight Recorder: what a rank's ring of communication calls held when it was written.
//
// Sources of the format: torch/csrc/distributed/c10d/FlightRecorder.hpp and FlightRecorderDetail.hpp (fields, `dump`,
// `dump_json`), TraceUtils.h (`ranks_str`, `pickle_str`), torch/csrc/jit/serialization/pickler.cpp (encoding).
// Read are versions 2.x, pickled or JSON, and what a script made of them with Python's pickle.dump or json.dump. A
// field that is not there, null, or of another type than expected is not known; fields that are not known are skipped.
// Nothing here says which rank wrote a dump: only the name of its file does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/trace/event.hpp"
#include "kernels/types/element_type.hpp"

namespace petri {

// A number of FlightDump::texts. Text 0 is the empty text: not stated.
using FlightText = std::uint32_t;

inline constexpr std::uint32_t kNoFlightGroup = 0xffffffff;

// 88 bytes. Integers are -1 where the dump does not state them. record_id, pg_id and op_id are local to the rank.
//
// The members of a coalesced launch stay `scheduled` and not retired for ever, completed or not: they have no events of
// their own (ProcessGroupNCCL.cpp, pointToPoint). The entry that closes the launch, "nccl:coalesced", tells its state.
struct FlightEntry {
  std::int64_t record_id = -1;  // position since the recorder began; what is missing before the first one was lost
  std::int64_t collective_seq = -1;
  std::int64_t p2p_seq = -1;
  std::int64_t op_id = -1;
  std::int64_t in_count = -1;  // elements, summed over the tensors
  std::int64_t out_count = -1;
  std::int64_t created_ns = -1;  // on the clock of that host
  std::int32_t pg_id = -1;
  std::uint32_t group = kNoFlightGroup;  // of FlightDump::groups
  FlightText name = 0;                   // profiling_name: "nccl:all_reduce", "nccl:send 0->3"
  FlightText site = 0;  // "file:line" of the innermost frame that is not PyTorch's own, else of the innermost one
  FlightText thread = 0;
  std::int32_t timeout_ms = -1;
  std::uint16_t in_tensors = 0;  // at most 65535
  std::uint16_t out_tensors = 0;
  ElementType in_type = ElementType::unknown;  // of all tensors; unknown where they differ or Petri has no such type
  ElementType out_type = ElementType::unknown;
  EventState state = EventState::unknown;
  bool is_p2p : 1 = false;
  bool retired : 1 = false;  // the watchdog has let go of it: completed, or timed out
};
static_assert(sizeof(FlightEntry) == 88);

// From pg_config, and those that only entries name.
struct FlightGroup {
  FlightText name = 0;         // unique within a job, where it is stated
  FlightText description = 0;  // "TENSOR_MODEL_PARALLEL_GROUP"
  std::uint32_t ranks = 0;     // of FlightDump::rank_lists; 0: not stated
  bool configured = false;     // from pg_config
};

// The last sequence numbers of a group, point-to-point ones among them; -1 where there was none, or it is not stated.
struct FlightStatus {
  std::int64_t last_enqueued = -1;
  std::int64_t last_started = -1;
  std::int64_t last_completed = -1;
};

struct FlightDump {
  std::string version;           // "2.10"; empty: not stated
  std::string comm_lib_version;  // of NCCL, as a rule
  std::vector<std::string> texts{std::string()};
  std::vector<std::vector<std::int32_t>> rank_lists{std::vector<std::int32_t>()};  // global ranks in group order
  std::vector<FlightGroup> groups;
  std::vector<std::pair<std::int32_t, FlightStatus>> status;  // by local id (pg_id), ascending
  std::vector<FlightEntry> entries;                           // in the order of the file: as they were enqueued
  std::vector<std::string> refused_lists;  // "group 5 names rank 3 twice": groups whose ranks are not stated for that
  bool cut = false;  // the file breaks off: `entries` are those that are whole, and what follows them is lost

  const std::string& text(FlightText number) const { return texts.at(number); }
  const std::vector<std::int32_t>& ranks_of(const FlightGroup& group) const { return rank_lists.at(group.ranks); }
};

// A ring of 200,000 calls with 20 frames each has about half of that.
inline constexpr std::size_t kMostFlightBytes = std::size_t{128} << 20;

// By the first bytes of a file, some KiB of them: is it a dump, rather than another pickle or JSON?
bool looks_like_flight_pickle(std::string_view head);
bool looks_like_flight_json(std::string_view head);

// Reads dumps one after the other; its memory is used again for the next one, so that each thread has one reader for
// its files. Memory grows with the bytes of a file, by at most 100 bytes for each, whatever they say; of a real dump
// it is about ten.
//
// Both throw InputError with `name` for what is no such dump, for what is broken inside, and for more than
// kMostFlightBytes; of a pickle the reason names the byte. A pickle that would construct or call an object is refused,
// and nothing in it is ever executed.
class FlightReader {
 public:
  FlightReader();
  ~FlightReader();
  FlightReader(FlightReader&&) noexcept;
  FlightReader& operator=(FlightReader&&) noexcept;

  FlightDump pickle(const std::string& name, std::string_view bytes);
  FlightDump json(const std::string& name, std::string_view bytes);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace petri
