// Text lines of a file, one or some at a time: plain or zstd-compressed, told apart by the first bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace petri {

inline constexpr std::size_t kMaxLine = std::size_t{64} << 20;  // bytes of one line

inline constexpr std::size_t kRoomBehind = 64;  // bytes that a parser may look at beyond a text

// Some whole lines that follow each other, of some ten thousand bytes together unless one alone is longer.
class LineBlock {
 public:
  std::string_view text() const { return std::string_view(text_).substr(0, text_.size() - kRoomBehind); }
  std::size_t first() const { return first_; }     // number of the first line
  bool terminated() const { return terminated_; }  // whether the last one ended in a newline

 private:
  friend class LineSource;
  std::string text_ = std::string(kRoomBehind, '\0');  // that many bytes more
  std::size_t first_ = 0;
  bool terminated_ = true;
};

// Memory: one line and one chunk. Throws InputError for a file that cannot be opened or decompressed and for a line
// beyond kMaxLine. A compressed stream that stops early just ends: what was decoded before is delivered.
class LineSource {
 public:
  explicit LineSource(const std::filesystem::path& file);
  LineSource(std::istream& in, std::string name);  // `in` outlives the source, and takes some bytes back
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  // Reads the next line into `line` without its newline; false at the end.
  bool next(std::string& line);

  // The same for the lines behind that one, as many as are quickly at hand.
  bool next(LineBlock& block);

  const std::string& name() const { return name_; }
  std::size_t number() const { return number_; }   // of the line read last, from 1
  bool terminated() const { return terminated_; }  // whether that line ended in a newline
  bool compressed() const { return compressed_; }

 private:
  struct Streams;
  LineSource(std::string name, std::unique_ptr<Streams> streams);  // which are compressed or not

  std::size_t append_to(std::string& text);  // what comes next, some kilobytes; 0 at the end
  void check_length(std::size_t line) const;

  std::string name_;
  std::unique_ptr<Streams> streams_;
  std::string chunk_;
  std::size_t used_ = 0;
  std::size_t number_ = 0;
  bool compressed_ = false;
  bool terminated_ = true;
};

}  // namespace petri
