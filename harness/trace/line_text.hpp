// The text of a line and where it stands: errors about it name file, line and column. Internal to harness/trace.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {

class LineText {
 public:
  explicit LineText(std::string file) : file_(std::move(file)) {}

  // `text` begins at the start of line `number`, and stays until the next one is taken.
  void stand_at(std::string_view text, std::size_t number) { text_ = text, number_ = number; }

  InputError error_at(const char* at, const std::string& reason) const;
  [[noreturn]] void fail(const char* at, const std::string& reason) const { throw error_at(at, reason); }
  [[noreturn]] void fail_at_start(const std::string& reason) const { fail(start(), reason); }
  const char* start() const { return text_.data(); }
  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  std::size_t number() const { return number_; }
  std::size_t column_of(const char* at) const { return static_cast<std::size_t>(at - start()) + 1; }

 private:
  std::string file_;
  std::string_view text_;
  std::size_t number_ = 0;
};

}  // namespace petri
