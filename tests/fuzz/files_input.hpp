// Several files as the fuzzer's input: each with its length in front, 2 bytes, in the order of their names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/trace_files.hpp"

namespace petri::fuzz {

class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::min(most, bytes_->size() - at_);
    std::memcpy(to, bytes_->data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t at_ = 0;
};

inline TraceFile memory_trace_file(std::string name, std::string bytes) {
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  TraceFile file;
  file.name = name;
  file.leaf = name.substr(name.rfind('/') + 1);
  file.head = kept->substr(0, kHeadBytes);
  file.open = [kept]() -> std::unique_ptr<ByteStream> { return std::make_unique<MemoryStream>(kept); };
  return file;
}

// As many files as the input has bytes for.
inline std::vector<TraceFile> trace_files_from(std::span<const std::uint8_t> input,
                                               std::span<const std::string_view> names) {
  std::vector<TraceFile> files;
  for (const std::string_view name : names) {
    if (input.size() < 2) break;
    const std::size_t length = std::min<std::size_t>(input[0] | input[1] << 8, input.size() - 2);
    files.push_back(
        memory_trace_file(std::string(name), {input.begin() + 2, input.begin() + 2 + static_cast<long>(length)}));
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
