// Files of foreign traces for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "harness/import/trace_files.hpp"

namespace petri::test {

// A file that is only in memory.
inline TraceFile text_file(const std::string& name, std::string text) {
  class Bytes : public ByteStream {
   public:
    explicit Bytes(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
    std::size_t read(char* to, std::size_t most) override {
      const std::size_t count = bytes_->copy(to, std::min(most, bytes_->size() - at_), at_);
      at_ += count;
      return count;
    }

   private:
    std::shared_ptr<const std::string> bytes_;
    std::size_t at_ = 0;
  };
  const auto bytes = std::make_shared<const std::string>(std::move(text));
  return {name, name, bytes->substr(0, kHeadBytes), {}, [bytes] { return std::make_unique<Bytes>(bytes); }};
}

}  // namespace petri::test
