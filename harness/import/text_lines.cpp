#include "harness/import/text_lines.hpp"

#include <fmt/format.h>

#include "harness/trace/error.hpp"

namespace petri {

TextLines::TextLines(const TraceFile& file, std::size_t most) : name_(file.name), stream_(file.open()), most_(most) {}

std::optional<std::string_view> TextLines::next() {
  constexpr std::size_t kChunk = 1 << 16;
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++number_;
      return line;
    }
    if (at_end_) break;
    if (buffer_.size() - begin_ > most_)
      throw InputError(name_, number_ + 1, 0, fmt::format("the line is longer than {} bytes", most_));
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    buffer_.resize(searched + kChunk);
    const std::size_t count = stream_->read(buffer_.data() + searched, kChunk);
    buffer_.resize(searched + count);
    at_end_ = count == 0;
  }
  if (begin_ == buffer_.size()) return std::nullopt;
  const std::string_view line = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  ++number_;
  cut_ = true;
  return line;
}

}  // namespace petri
