// How far each rank got on each group, by all that the dumps say together.
//
// Which rank stands where is told by sequence numbers of groups only: those that entries have, and the last ones that
// pg_status names. A group's collectives end in their order, so whoever has completed one has completed those before.
// pg_status names the last number of a message or of a collective: it counts on groups without messages, and on others
// where the number is larger than those of their messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/import/flight_calls.hpp"

namespace petri {

// The sequence number of a group's first collective: PyTorch counts before it records (ProcessGroupNCCL.cpp,
// `seqCollective_++` and `initWork`; ProcessGroupGloo.cpp, `++seq_`). Positions of a scenario begin at 0.
inline constexpr std::int32_t kFirstFlightNumber = 1;

// Of one rank on one group: sequence numbers of collectives, kNoPosition where there is none.
struct FlightProgress {
  std::int32_t first = kNoPosition;        // that is kept
  std::int32_t last = kNoPosition;         // that is kept
  std::int32_t completed = kNoPosition;    // the last one that is known to have completed, kept or not
  std::int32_t outstanding = kNoPosition;  // the first one that is kept and not known to have completed
  std::int32_t enqueued = kNoPosition;     // the last one that was enqueued, kept or not
  bool messages = false;                   // entries of messages are kept
};

// One rank's dump, with groups by their numbers in the job.
struct FlightRecord {
  std::int32_t rank = 0;
  FlightCalls calls;
  std::map<std::int32_t, FlightProgress> groups;      // those with entries
  std::set<std::int32_t> message_groups;              // with messages of which no entries are kept
  std::map<std::int32_t, std::int64_t> last_message;  // by group: the largest number of a message, where all are stated
  bool cut = false;                                   // the dump breaks off: what follows its last call is lost
  // What pg_status says of a group: last enqueued and last completed, of any kind; -1 is none.
  std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> status;
};

// Fills `groups` of a record from its calls.
void note_progress(FlightRecord& record);

struct FlightStanding {
  // By group: in how many of its positions the rank took part before its first kept call there.
  std::map<std::int32_t, std::int32_t> joined;
  // Others have completed what the record shows unfinished: it was written earlier, or its device no longer told.
  bool stale = false;
  // The ring lost calls that were not over: where the rank waits is not in the record.
  bool place_lost = false;
};

// Settles what the records say of each other: calls that others prove completed become so, in `records`. The standings
// are by record, and a last one holds for ranks without a record. `used` tells of the job's groups which are asked
// about.
std::vector<FlightStanding> settle(std::vector<FlightRecord>& records, const std::vector<bool>& used);

}  // namespace petri
