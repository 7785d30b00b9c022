// Any bytes as a file that may be compressed or an archive, in several layers: it is read, or refused with a reason,
// and what it says it is does not matter.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/import/spool.hpp"
#include "harness/import/trace_files.hpp"
#include "harness/trace/error.hpp"
#include "tests/fuzz/hold.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  constexpr std::uint64_t kRead = std::uint64_t{1} << 20;  // of each file
  const auto bytes = std::make_shared<Spool>();
  bytes->append({reinterpret_cast<const char*>(data), size});
  std::vector<FileNote> notes;
  try {
    for (const TraceFile& file : trace_files({TraceSource("input", bytes)}, notes)) {
      const auto stream = file.open();
      std::string begin;
      std::string chunk(1 << 12, '\0');
      std::size_t count = 1;
      for (std::uint64_t taken = 0; count > 0 && taken < kRead; taken += count) {
        count = stream->read(chunk.data(), chunk.size());
        fuzz::require(count <= chunk.size(), "no more is read than was asked for");
        if (begin.size() < kHeadBytes) begin.append(chunk, 0, count);
      }
      fuzz::require(begin.starts_with(file.head), "a file begins with its head whenever it is read");
    }
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
