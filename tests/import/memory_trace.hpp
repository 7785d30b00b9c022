// Files of traces that are only in memory, read as little at a time as a test wants.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "harness/import/trace_files.hpp"

namespace petri::test {

class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::shared_ptr<const std::string> bytes,
                        std::size_t at_once = std::numeric_limits<std::size_t>::max())
      : bytes_(std::move(bytes)), at_once_(at_once) {}
  explicit MemoryStream(std::string bytes, std::size_t at_once = std::numeric_limits<std::size_t>::max())
      : MemoryStream(std::make_shared<const std::string>(std::move(bytes)), at_once) {}

  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = bytes_->copy(to, std::min({most, at_once_, bytes_->size() - at_}), at_);
    at_ += count;
    return count;
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t at_once_;
  std::size_t at_ = 0;
};

// `name` may have folders in front.
inline TraceFile memory_trace(const std::string& name, std::string bytes) {
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  return {name, name.substr(name.rfind('/') + 1), kept->substr(0, kHeadBytes), {}, [kept] {
            return std::make_unique<MemoryStream>(kept);
          }};
}

}  // namespace petri::test
