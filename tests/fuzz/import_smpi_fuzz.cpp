// Any text as the actions of ranks: a scenario whose text says it all, or an InputError.
#include <cstdint>

#include "harness/import/smpi_trace.hpp"
#include "harness/trace/error.hpp"
#include "tests/fuzz/files_input.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/trace/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  // A byte that no text has begins the next file.
  std::vector<TraceFile> files;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty() && files.size() < 4) {
    const std::size_t end = std::min(rest.find('\xff'), rest.size());
    TraceFile file = test::memory_trace(std::to_string(files.size()), std::string(rest.substr(0, end)));
    if (recognizes_smpi(file)) files.push_back(std::move(file));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (files.empty()) return 0;
  try {
    ImportNotes notes;
    const Scenario scenario = read_smpi(files, notes);
    if (scenario.world() > 1000) return 0;  // a rank of a large number makes as many, which take long to write
    const std::string text = test::written(scenario);
    fuzz::require(test::written(test::read_text(text)) == text, "what is written is read as what it is");
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
