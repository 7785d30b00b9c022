// What an OTF2 archive says, one record at a time, as it goes through a pipe: definitions first, then the events of one
// location after the other. Both ends are one program, so the layout is its own.
//
// Names and meanings are those of the OTF2 definition and event records (otf2/OTF2_GlobalDefReaderCallbacks.h,
// otf2/OTF2_EvtReaderCallbacks.h, OTF2 3.0).
#pragma once

#include <cstdint>

namespace petri {

enum class Otf2Kind : std::uint8_t {
  // Definitions. The payload of `text` and of `creator` is its text, that of `group` its members, 8 bytes each.
  creator,
  clock,           // x ticks a second, y the global offset
  text,            // a reference
  attribute_name,  // a reference, b name
  location_group,  // a reference, b name, c type
  location,        // x reference, b name, c type, d group
  location_fact,   // x location, a name; b the text's reference or, with c == 1, y a number
  region,          // a reference, b name, c description
  group,           // a reference, b name, c type, d paradigm; x flags
  comm,            // a reference, b name, c group, d parent
  inter_comm,      // a reference, b name, c and d the groups, x the common communicator
  window,          // a reference, b name, c communicator
  definitions_end,

  // The events of a location. Attributes come before the event that has them: a name, b the text's reference or, with
  // c == 1, x a number.
  location_begin,  // x location, c == 0: there is no file
  location_end,    // x location, c == 0: it breaks off, with the reason as payload
  attribute,
  enter,           // a region
  leave,           // a region
  send,            // a receiver, b communicator, c tag, x bytes
  isend,           // the same, y request
  isend_complete,  // y request
  irecv_request,   // y request
  recv,            // a sender, b communicator, c tag, x bytes
  irecv,           // the same, y request
  request_test,    // y request
  request_cancelled,
  collective_begin,
  collective_end,       // a operation, b communicator, c root, x bytes sent, z received
  collective_request,   // y request
  collective_complete,  // as collective_end, y request
  comm_create,          // b communicator
  comm_destroy,         // b communicator
  thread_end,
  program_end,  // x exit status
  measurement_off,
  measurement_on,
  window_create,      // b window
  window_destroy,     // b window
  window_access,      // b window, c remote, x bytes: a put, get or atomic access
  window_lock,        // b window, c remote, d lock type: requested or acquired
  window_unlock,      // b window, c remote
  window_sync,        // b window, c remote or undefined
  window_group,       // b window, d group: post, start, complete or wait
  window_collective,  // b window

  // The last one: all was read, or it could not be, with the reason as payload.
  archive_end,
  failed,
};

struct Otf2Record {
  Otf2Kind kind{};
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  std::uint32_t payload = 0;  // bytes that follow
  std::uint64_t time = 0, x = 0, y = 0, z = 0;
};

inline constexpr std::uint32_t kOtf2Undefined = 0xffffffff;                // OTF2_UNDEFINED_UINT32
inline constexpr std::uint32_t kOtf2MostPayload = std::uint32_t{1} << 28;  // longer texts and groups are none

}  // namespace petri
