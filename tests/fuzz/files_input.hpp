// Several files as the fuzzer's input: each with its length in front, 2 bytes, in the order of their names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/import/memory_trace.hpp"

namespace petri::fuzz {

// As many files as the input has bytes for.
inline std::vector<TraceFile> trace_files_from(std::span<const std::uint8_t> input,
                                               std::span<const std::string_view> names) {
  std::vector<TraceFile> files;
  for (const std::string_view name : names) {
    if (input.size() < 2) break;
    const std::size_t length = std::min<std::size_t>(input[0] | input[1] << 8, input.size() - 2);
    files.push_back(
        test::memory_trace(std::string(name), {input.begin() + 2, input.begin() + 2 + static_cast<long>(length)}));
    input = input.subspan(2 + length);
  }
  return files;
}

inline void append_file(std::string& input, std::string_view bytes) {
  bytes = bytes.substr(0, 0xffff);
  input += static_cast<char>(bytes.size() & 0xff);
  input += static_cast<char>(bytes.size() >> 8);
  input += bytes;
}

}  // namespace petri::fuzz
