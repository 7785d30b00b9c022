// Any bytes at all as a NumPy file: its header is refused with a reason, or describes elements that fill the file.
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "harness/trace/npy.hpp"
#include "tests/fuzz/hold.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  using fuzz::require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const NpyHeader header = parse_npy_header(bytes.substr(0, kMostNpyHeader), size);
    require(size_of(header.type) > 0, "elements are numbers");
    require(header.data + header.elements * size_of(header.type) == size, "the elements fill the file");
    std::uint64_t elements = 1;
    for (const std::uint64_t axis : header.shape) elements *= axis;
    require(elements == header.elements, "the axes make the elements");
  } catch (const std::invalid_argument& reason) {
    require(*reason.what() != '\0', "a reason is told");
  }
  return 0;
}
