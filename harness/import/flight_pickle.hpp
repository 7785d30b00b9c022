// A pickled Flight Recorder dump. Internal to harness/import; FlightReader is what others use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/import/flight_dump.hpp"
#include "harness/import/flight_fields.hpp"
#include "harness/import/flight_parts.hpp"
#include "harness/import/flight_words.hpp"
#include "harness/import/pickle.hpp"

namespace petri {

class FlightPickle {
 public:
  FlightPickle();
  // Fills a dump that is empty. Throws as FlightReader::pickle, which calls `bytes` by `file`.
  void read(const std::string& file, std::string_view bytes, FlightDump& dump);

 private:
  friend struct FlightFields;

  struct Frame : FlightFrame {
    bool library = true;
    FlightText site = 0;
  };
  // What a container was walked as. A pickle may refer to a container as often as it likes: it is walked once, and as
  // one thing only, so that a small file cannot keep the walk busy.
  enum class Walked : std::uint8_t { not_yet, group, status, entry, frame, frames, sizes, axes, types };

  void config(PickleValue groups);
  void status(PickleValue groups);
  void entries(PickleValue list);
  Frame& frame(PickleValue dict);
  std::int64_t elements_of(PickleValue axes);
  template <class Filled>
  void fill(PickleValue dict, Filled& filled);  // by its fields

  // Values, for FlightFields.
  static std::int64_t whole(PickleValue value) { return value.kind == PickleKind::whole ? value.number : -1; }
  static std::int32_t small(PickleValue value);
  std::int64_t written_number(PickleValue value) const;  // a whole number or a text of one
  static bool truth(PickleValue value);
  static FlightWord word(PickleValue value) {
    return value.kind == PickleKind::text ? static_cast<FlightWord>(value.word) : FlightWord::unknown;
  }
  FlightText text(PickleValue value);  // of a text or a number
  std::string_view characters(PickleValue value) const;
  std::uint32_t ranks(PickleValue value);
  std::uint32_t group(PickleValue pair);
  FlightText site(PickleValue frames);
  FlightSide sizes(PickleValue list);
  ElementType types(PickleValue list);

  bool is_new(PickleValue container) { return pickle_.note(container) == 0; }
  void remember(PickleValue container, Walked as, std::size_t result);
  // Of a container that is not new: what came of it, or `other` where it was walked as something else.
  std::uint32_t recall(PickleValue container, Walked as, std::uint32_t other);

  Pickle pickle_;
  FlightParts parts_;
  FlightDump* dump_ = nullptr;
  std::vector<Frame> frames_;           // the first one: of what is none
  std::vector<FlightSide> sides_;       // of long lists; the first one: of what is none
  std::vector<std::int64_t> products_;  // likewise
  std::unordered_map<std::uint64_t, std::uint32_t> rank_lists_;
};

}  // namespace petri
