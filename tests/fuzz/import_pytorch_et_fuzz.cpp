// Any text as a PyTorch execution trace.
#include "harness/import/pytorch_et.hpp"

#include "tests/fuzz/trace_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  petri::fuzz::import_traces(data, size, petri::is_pytorch_et, petri::read_pytorch_ets);
  return 0;
}
