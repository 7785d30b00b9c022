// What holds of every Flight Recorder dump that is read, whatever its bytes.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "harness/import/flight_dump.hpp"
#include "harness/trace/error.hpp"
#include "tests/fuzz/hold.hpp"

namespace petri::fuzz {

// Reads every byte, for the sanitizer's eyes.
inline void touch(std::string_view text) {
  [[maybe_unused]] static volatile char seen = 0;
  for (const char c : text) seen = c;
}

template <class Read>
void hold_dump(std::string_view bytes, const Read& read) {
  try {
    const FlightDump dump = read();
    require(dump.entries.size() <= bytes.size() && dump.groups.size() <= 2 * bytes.size() + 1, "a dump is no larger");
    for (const std::string& text : dump.texts)
      require(simdjson::validate_utf8(text.data(), text.size()), "every text is UTF-8");
    for (const FlightGroup& group : dump.groups)
      for (const std::int32_t rank : dump.ranks_of(group)) require(rank >= 0, "ranks are numbers from 0");
    for (const FlightGroup& group : dump.groups) touch(dump.text(group.name)), touch(dump.text(group.description));
    for (std::size_t i = 1; i < dump.status.size(); ++i)
      require(dump.status[i - 1].first < dump.status[i].first, "local ids ascend");
    for (const FlightEntry& entry : dump.entries) {
      require(entry.group == kNoFlightGroup || entry.group < dump.groups.size(), "an entry's group is there");
      touch(dump.text(entry.name)), touch(dump.text(entry.site)), touch(dump.text(entry.thread));
      require(entry.in_count >= -1 && entry.out_count >= -1, "elements are counted");
    }
  } catch (const InputError& error) {
    require(error.file() == "input" && *error.what() != '\0', "an error names the file and a reason");
  }
}

}  // namespace petri::fuzz
