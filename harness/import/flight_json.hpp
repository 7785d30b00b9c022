// A Flight Recorder dump in JSON, as `dump_json` of FlightRecorderDetail.hpp writes it or Python's json.dump the
// pickled one. Internal to harness/import; FlightReader is what others use.
//
// dump_json has sorted keys, texts for the numbers in pg_status, 0 for times that are not set, no frames, and no
// `entries` where there are none.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "harness/import/flight_dump.hpp"
#include "harness/import/flight_parts.hpp"

namespace petri {

class FlightJson {
 public:
  void read(const std::string& file, std::string_view bytes, FlightDump& dump);

 private:
  using Value = simdjson::ondemand::value;

  void walk();  // the text in padded_; throws simdjson_error
  [[noreturn]] void fail(const std::string& file, simdjson::error_code error);

  void config(Value groups);
  std::uint32_t ranks(Value list);
  void status(Value groups);
  void entries(Value list);
  void entry(Value object, FlightEntry& entry);
  std::uint32_t group(Value pair);
  FlightText site(Value frames);
  void sizes(Value list, std::int64_t& count, std::uint16_t& tensors);
  ElementType types(Value list);
  FlightText text(Value value);

  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  bool begun_ = false;  // whether the document knows a place: not where the bytes are no text in UTF-8
  bool known_ = false;  // whether something in it is a dump's
  std::string padded_;
  FlightParts parts_;
  FlightDump* dump_ = nullptr;
};

// JSON that breaks off, up to the last value that is whole in its outermost two levels, with what closes those. Empty
// for a text that does not break off, or has nothing whole in it.
std::string closed_json(std::string_view text);

}  // namespace petri
