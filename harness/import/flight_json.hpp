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
#include "harness/import/flight_words.hpp"

namespace petri {

class FlightJson {
 public:
  // Fills a dump that is empty. Throws as FlightReader::json, which calls `bytes` by `file`; also of a text that breaks
  // off, whose dump is `cut`, something whole must be there.
  void read(const std::string& file, std::string_view bytes, FlightDump& dump);

 private:
  using Value = simdjson::ondemand::value;

  void walk();  // the text in padded_; throws simdjson_error
  [[noreturn]] void fail(const std::string& file, simdjson::error_code error);

  friend struct FlightFields;

  void config(Value groups);
  void status(Value groups);
  void entries(Value list);
  template <class Filled>
  void fill(Value object, Filled& filled);  // by its fields

  // Values, for FlightFields. A number may be a text of one.
  static std::int64_t whole(Value value);
  static std::int32_t small(Value value);
  static std::int64_t written_number(Value value) { return whole(value); }
  static bool truth(Value value);
  static FlightWord word(Value value);
  FlightText text(Value value);  // of a text or a number
  static std::string_view characters(Value value);
  std::uint32_t ranks(Value list);
  std::uint32_t group(Value pair);
  FlightText site(Value frames);
  static FlightSide sizes(Value list);
  static ElementType types(Value list);

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
