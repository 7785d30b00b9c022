// A pickled Flight Recorder dump. Internal to harness/import; FlightReader is what others use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/import/flight_dump.hpp"
#include "harness/import/flight_parts.hpp"
#include "harness/import/flight_words.hpp"
#include "harness/import/pickle.hpp"

namespace petri {

class FlightPickle {
 public:
  FlightPickle();
  void read(const std::string& file, std::string_view bytes, FlightDump& dump);

 private:
  struct Frame {
    std::string_view file = {};
    std::int64_t line = 0;
    bool library = true;
    FlightText site = 0;
  };
  struct Side {
    std::int64_t elements = -1;
    std::uint16_t tensors = 0;
  };
  // What a container was walked as. A pickle may refer to a container as often as it likes: it is walked once, and as
  // one thing only, so that a small file cannot keep the walk busy.
  enum class Walked : std::uint8_t { not_yet, group, status, entry, frame, frames, sizes, axes, types };

  FlightText text(PickleValue value);  // of a text or a number
  void config(PickleValue groups);
  void configure(FlightText name, PickleValue group);
  std::uint32_t ranks(PickleValue value);
  void status(PickleValue groups);
  FlightStatus last_numbers(PickleValue dict);
  std::int64_t number_of(PickleValue value) const;
  void entries(PickleValue list);
  void entry(PickleValue dict, FlightEntry& entry);
  std::uint32_t group(PickleValue pair);
  FlightText site(PickleValue frames);
  Frame& frame(PickleValue dict);
  Side sizes(PickleValue list);
  std::int64_t elements_of(PickleValue axes);
  ElementType types(PickleValue list);

  bool is_new(PickleValue container) { return pickle_.note(container) == 0; }
  void remember(PickleValue container, Walked as, std::size_t result);
  // Of a container that is not new: what came of it, or `other` where it was walked as something else.
  std::uint32_t recall(PickleValue container, Walked as, std::uint32_t other);

  FlightWord word(PickleValue value) const {
    return value.kind == PickleKind::text ? static_cast<FlightWord>(value.word) : FlightWord::unknown;
  }

  Pickle pickle_;
  FlightParts parts_;
  FlightDump* dump_ = nullptr;
  std::vector<Frame> frames_;           // the first one: of what is none
  std::vector<Side> sides_;             // of long lists; the first one: of what is none
  std::vector<std::int64_t> products_;  // likewise
  std::unordered_map<std::uint64_t, std::uint32_t> rank_lists_;
};

}  // namespace petri
