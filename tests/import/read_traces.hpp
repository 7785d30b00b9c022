// Traces of single ranks as the importers read them, and what the tests ask of the outcome.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/import/foreign.hpp"
#include "harness/trace/error.hpp"
#include "tests/import/memory_trace.hpp"

namespace petri::test {

using ReadTraces = Scenario (*)(const std::vector<TraceFile>&, ImportNotes&);

struct Traces {
  Traces(ReadTraces read, const std::vector<TraceFile>& files) : scenario(read(files, notes)) {}

  // "allreduce 4 float32 on 0", one for each event of a rank.
  std::vector<std::string> calls(std::int32_t rank) const {
    std::vector<std::string> calls;
    for (const Event& event : events(rank)) {
      std::string text(name_of(event.op));
      if (event.count != kUnknownCount) text += fmt::format(" {}", event.count);
      if (event.dtype != ElementType::unknown) text += fmt::format(" {}", name_of(event.dtype));
      if (event.peer != kUnset) text += fmt::format(" peer {}", event.peer);
      if (event.root != kUnset) text += fmt::format(" root {}", event.root);
      if (event.comm != 0) text += " on " + scenario.comm_of(event).name;
      calls.push_back(text);
    }
    return calls;
  }
  const std::vector<Event>& events(std::int32_t rank) const { return trace(rank).events; }
  const RankTrace& trace(std::int32_t rank) const { return scenario.ranks.at(static_cast<std::size_t>(rank)); }
  std::vector<std::int32_t> members(const std::string& comm) const {
    return scenario.comms.at(static_cast<std::size_t>(scenario.find_comm(comm))).ranks;
  }

  ImportNotes notes;
  Scenario scenario;
};

inline std::string error_of(ReadTraces read, const std::vector<TraceFile>& files) {
  try {
    Traces traces(read, files);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace petri::test
