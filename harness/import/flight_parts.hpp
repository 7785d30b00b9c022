// What both encodings of a Flight Recorder dump have in common: the parts of a FlightDump that are kept once.
// Internal to harness/import.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/import/flight_dump.hpp"

namespace petri {

// Elements of a call's tensors on one side, summed; -1 where they are not known.
struct FlightSide {
  std::int64_t elements = -1;
  std::uint16_t tensors = 0;
};

// Sums them up, with their type. A size or type that is not known makes the whole unknown.
class FlightTensors {
 public:
  void add(std::int64_t elements);  // a whole tensor; negative: not known
  void type(ElementType type);

  FlightSide side() const { return {elements_, tensors_}; }
  ElementType type() const { return typed_ ? type_ : ElementType::unknown; }

 private:
  std::int64_t elements_ = 0;
  std::uint16_t tensors_ = 0;
  ElementType type_ = ElementType::unknown;
  bool typed_ = false;
};

// Elements of a tensor after one more axis: -1 where either is not known, or too many.
std::int64_t times_axis(std::int64_t elements, std::int64_t axis);

// Why a pickle or JSON is refused that is readable.
std::string no_flight_dump(std::string_view what, bool cut);

// Whether a frame in that file says nothing about where in the user's program a call stands: PyTorch's own, Python's
// own library, generated code, and what has no file.
bool is_library_frame(std::string_view file);

// The number that a text like "-1" or "17" is; `otherwise` where it is none or too large.
std::int64_t number_or(std::string_view text, std::int64_t otherwise);

// Fills the parts of one dump.
class FlightParts {
 public:
  void begin(FlightDump& dump);

  FlightText text(std::string_view text);  // what is no UTF-8 in it is replaced
  FlightText site(std::string_view file, std::int64_t line);
  // The group of an entry, of that name and description; a new one where pg_config has none such.
  std::uint32_t group(FlightText name, FlightText description);
  void configure(const FlightGroup& group);
  // "[0, 1]", "[0,1]", "0, 1". 0 for an empty list, and for one that no group can have: then the next group that is
  // configured is told of in FlightDump::refused_lists.
  std::uint32_t ranks(std::string_view list);
  std::uint32_t ranks(std::vector<std::int32_t> list);  // -1 for what is no rank
  void status(std::int32_t pg_id, const FlightStatus& status);
  void end();

 private:
  std::size_t slot_of(std::string_view text) const;  // where the text stands in slots_, or would
  FlightText add(std::string_view text);
  void make_room();

  FlightDump* dump_ = nullptr;
  std::vector<FlightText> slots_;                            // texts by hash: open addressing, 0 for an empty slot
  std::vector<std::uint32_t> recent_group_;                  // by name: the one met last
  std::unordered_map<std::uint64_t, std::uint32_t> groups_;  // by name and description
  std::string site_;
  std::string refusal_;  // why the last list of ranks is none
};

}  // namespace petri
