// Any bytes as a RAS report. A zero byte divides the input into several files.
#include "harness/import/nccl_ras.hpp"

#include "tests/fuzz/trace_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  petri::fuzz::import_files(petri::fuzz::files_between(input, '\0', 3), petri::read_ras_reports);
  return 0;
}
