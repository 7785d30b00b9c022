// Any text as a Kineto trace.
#include "harness/import/kineto.hpp"

#include "tests/fuzz/trace_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  petri::fuzz::import_traces(data, size, petri::is_kineto_trace, petri::read_kineto_traces);
  return 0;
}
