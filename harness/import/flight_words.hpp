// The words of a Flight Recorder dump: keys of its dicts, states, element types. Internal to harness/import.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/trace/event.hpp"
#include "kernels/types/element_type.hpp"

namespace petri {

// clang-format off
enum class FlightWord : std::uint8_t {
  unknown,
  // of the dump (FlightRecorder.hpp); comm_lib_version was nccl_version before version 2.10
  version, comm_lib_version, nccl_version, pg_config, pg_status, entries,
  // of a group
  name, desc, ranks, last_enqueued, last_started, last_completed,
  // of an entry
  record_id, pg_id, process_group, collective_seq_id, p2p_seq_id, op_id, profiling_name, time_created_ns, input_sizes,
  input_dtypes, output_sizes, output_dtypes, state, retired, timeout_ms, is_p2p, thread_id, thread_name, frames,
  // of a frame, beside `name`
  filename, line,
  // states, in the order of EventState
  scheduled, started, completed,
  // element types begin here: first_type + ElementType
  first_type,
};
// clang-format on

FlightWord flight_word(std::string_view text);
EventState state_of(FlightWord word);          // unknown for a word that is no state
ElementType element_type_of(FlightWord word);  // of torch's scalar type; unknown for one that Petri has not

}  // namespace petri
