// Any text as the actions of ranks. A byte that no text has divides the input into several files.
#include "harness/import/smpi_trace.hpp"
#include "tests/fuzz/trace_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<TraceFile> files = fuzz::files_between(input, '\xff', 4);
  std::erase_if(files, [](const TraceFile& file) { return !recognizes_smpi(file); });
  if (!files.empty()) fuzz::import_files(files, read_smpi);
  return 0;
}
