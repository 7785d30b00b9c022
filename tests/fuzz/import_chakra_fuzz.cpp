// Any bytes as a Chakra execution trace.
#include "harness/import/chakra.hpp"

#include "tests/fuzz/trace_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  petri::fuzz::import_traces(data, size, petri::is_chakra_trace, petri::read_chakra_traces);
  return 0;
}
