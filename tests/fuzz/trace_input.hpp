// Inputs of the fuzzers of importers: one or several files, kept apart by a mark.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/foreign.hpp"
#include "harness/trace/error.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/import/memory_trace.hpp"
#include "tests/trace/text.hpp"

namespace petri::fuzz {

inline constexpr std::string_view kFileMark = "\xff\x1e\x1e\xff";

inline std::vector<TraceFile> trace_files_in(std::string_view input) {
  std::vector<TraceFile> files;
  for (;;) {
    const std::size_t end = input.find(kFileMark);
    files.push_back(
        test::memory_trace("rank_" + std::to_string(files.size()) + ".et", std::string(input.substr(0, end))));
    if (end == std::string_view::npos) return files;
    input.remove_prefix(end + kFileMark.size());
  }
}

// The parts of an input that a byte divides, as so many files at most: the rest is the last one's.
inline std::vector<TraceFile> files_between(std::string_view input, char mark, std::size_t most) {
  std::vector<TraceFile> files;
  while (files.size() < most) {
    const std::size_t end = std::min(input.find(mark), input.size());
    files.push_back(test::memory_trace(std::to_string(files.size()), std::string(input.substr(0, end))));
    if (end == input.size()) break;
    input.remove_prefix(end + 1);
  }
  return files;
}

using ReadTraces = Scenario (*)(const std::vector<TraceFile>&, ImportNotes&);

// Whatever is in the files: a scenario whose text says it all, or an InputError.
inline void import_files(const std::vector<TraceFile>& files, ReadTraces read) {
  constexpr std::int32_t kMostWritten = 1000;  // ranks; a small file may claim a million of them
  try {
    ImportNotes notes;
    const Scenario scenario = read(files, notes);
    if (scenario.world() > kMostWritten) return;
    const std::string text = test::written(scenario);
    require(test::written(test::read_text(text)) == text, "what is written is read as what it is");
  } catch (const InputError&) {
    return;
  }
}

inline void import_traces(const std::uint8_t* data, std::size_t size, bool (*recognizes)(const TraceFile&),
                          ReadTraces read) {
  const std::vector<TraceFile> files = trace_files_in({reinterpret_cast<const char*>(data), size});
  recognizes(files.front());
  import_files(files, read);
}

}  // namespace petri::fuzz
