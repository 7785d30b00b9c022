// Reads what the line of an event says, whatever other lines say: several parsers may be at work on one file, beside
// each other. Internal to harness/trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/trace/extras_pool.hpp"
#include "harness/trace/json_line.hpp"
#include "harness/trace/read_history.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

class EventParser {
 public:
  // Takes the line that was loaded. Throws InputError where something is wrong with it alone; that need not be what is
  // to be said first about a line with several faults.
  void parse(JsonLine& line, ReadEvent& read);

  // Lets the arguments of events share what is equal. Those of an event that makes a communicator are for the caller to
  // hand over when they are complete.
  void share(EventExtras& extras) { extras_.share(extras); }

  // Its names are numbers of its own, by which what they mean in the scenario is remembered.
  const std::string& text(std::uint32_t name) const { return names_.text(name); }
  std::uint32_t symbol(std::uint32_t name, SymbolTable& symbols);
  std::int32_t comm(std::uint32_t name, const Scenario& scenario);  // kNoComm where none is called so yet

 private:
  struct Meaning {
    std::uint32_t symbol = kNoSymbol;
    std::int32_t comm = kNoComm;
  };

  void field(Key key, JsonValue& value, ReadEvent& read);
  Meaning& meaning_of(std::uint32_t name);

  SymbolTable names_;
  std::vector<Meaning> meanings_;
  ExtrasPool extras_;
};

}  // namespace petri
