// Which field of a Flight Recorder dump fills which member, whatever the encoding. Internal to harness/import.
//
// A field stands here once; how a value is read, as a number, a text or a list of frames, an encoding says by functions
// of its own. Each gives what a FlightDump has for a value that is of another type than expected. Fields:
// FlightRecorder.hpp of PyTorch (see flight_dump.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/import/flight_dump.hpp"
#include "harness/import/flight_parts.hpp"
#include "harness/import/flight_words.hpp"

namespace petri {

// A frame of a call's stack.
struct FlightFrame {
  std::string_view file = {};
  std::int64_t line = -1;
};

// `from` is the encoding, `value` its value of the key; a key that is none of these is skipped.
struct FlightFields {
  template <class Encoding, class Value>
  static void take(Encoding& from, FlightWord key, Value value, FlightEntry& entry) {
    using enum FlightWord;
    const auto side = [](const FlightSide& read, std::int64_t& count, std::uint16_t& tensors) {
      count = read.elements;
      tensors = read.tensors;
    };
    switch (key) {
      case record_id: entry.record_id = from.whole(value); break;
      case pg_id: entry.pg_id = from.small(value); break;
      case process_group: entry.group = from.group(value); break;
      case collective_seq_id: entry.collective_seq = from.whole(value); break;
      case p2p_seq_id: entry.p2p_seq = from.whole(value); break;
      case op_id: entry.op_id = from.whole(value); break;
      case profiling_name: entry.name = from.text(value); break;
      case time_created_ns: entry.created_ns = from.whole(value); break;
      case input_sizes: side(from.sizes(value), entry.in_count, entry.in_tensors); break;
      case output_sizes: side(from.sizes(value), entry.out_count, entry.out_tensors); break;
      case input_dtypes: entry.in_type = from.types(value); break;
      case output_dtypes: entry.out_type = from.types(value); break;
      case state: entry.state = state_of(from.word(value)); break;
      case retired: entry.retired = from.truth(value); break;
      case is_p2p: entry.is_p2p = from.truth(value); break;
      case timeout_ms: entry.timeout_ms = from.small(value); break;
      case thread_id: entry.thread = from.text(value); break;
      case frames: entry.site = from.site(value); break;
      default: break;
    }
  }

  template <class Encoding, class Value>
  static void take(Encoding& from, FlightWord key, Value value, FlightGroup& group) {
    switch (key) {
      case FlightWord::name: group.name = from.text(value); break;
      case FlightWord::desc: group.description = from.text(value); break;
      case FlightWord::ranks: group.ranks = from.ranks(value); break;
      default: break;
    }
  }

  template <class Encoding, class Value>
  static void take(Encoding& from, FlightWord key, Value value, FlightStatus& status) {
    switch (key) {
      case FlightWord::last_enqueued: status.last_enqueued = from.written_number(value); break;
      case FlightWord::last_started: status.last_started = from.written_number(value); break;
      case FlightWord::last_completed: status.last_completed = from.written_number(value); break;
      default: break;
    }
  }

  template <class Encoding, class Value>
  static void take(Encoding& from, FlightWord key, Value value, FlightFrame& frame) {
    switch (key) {
      case FlightWord::filename: frame.file = from.characters(value); break;
      case FlightWord::line: frame.line = from.whole(value); break;
      default: break;
    }
  }
};

}  // namespace petri
