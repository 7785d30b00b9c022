// The lines of a text that is read as a stream.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/import/trace_files.hpp"

namespace petri {

class TextLines {
 public:
  // Lines are up to `most` bytes long.
  TextLines(const TraceFile& file, std::size_t most);

  // Without its newline; good until the next call. Nothing at the end. Throws InputError for a longer line.
  std::optional<std::string_view> next();
  std::size_t number() const { return number_; }  // of the line that was taken last, from 1
  bool was_cut() const { return cut_; }           // that line was the last one and has no newline

 private:
  std::string name_;
  std::unique_ptr<ByteStream> stream_;
  std::size_t most_;
  std::string buffer_;
  std::size_t begin_ = 0, number_ = 0;
  bool at_end_ = false, cut_ = false;
};

}  // namespace petri
