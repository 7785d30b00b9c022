// Cuts a JSON file of any size into pieces of which each is parsed by itself: profilers write one object per process
// with a list of millions of events in it, and of those few are of interest.
//
// Memory is bounded by the longest piece. Only brackets and strings are looked at here: whether a piece is JSON is for
// whoever parses it to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import/trace_files.hpp"

namespace petri {

inline constexpr std::size_t kMostPieceBytes = std::size_t{64} << 20;
inline constexpr std::size_t kRoomBehindPiece = 64;  // bytes of any kind that may be read behind it

struct JsonPiece {
  std::string_view key;   // of a member of the outermost object; empty: an element of the list
  std::string_view text;  // good until the next call of `next`, with kRoomBehindPiece bytes behind it
  std::size_t line = 0;   // on which it begins, from 1
};

class JsonPieces {
 public:
  // Of the outermost object: the elements of the member `list`, and the members whose keys are `wanted`, in the order
  // of the file. A file that is one list of its own stands for `list`. `name` is what messages call the file.
  JsonPieces(ByteStream& stream, std::string name, std::string list, std::vector<std::string> wanted);

  // False at the end of the file, or where it breaks off. Throws InputError for what is neither an object nor a list,
  // for brackets that do not close each other, and for pieces of more than kMostPieceBytes.
  bool next(JsonPiece& piece);

  bool cut() const { return cut_; }  // the file broke off before its last bracket
  std::uint64_t bytes() const { return before_ + at_; }

 private:
  enum class Place : std::uint8_t { before, object, list, behind };

  bool refill();                                    // false at the end of the file
  bool skip_blank(char& byte, bool commas = true);  // to the next byte that is neither white space nor a comma
  bool take_string();                               // from its opening quote to behind its closing one
  bool take_value();                                // from its first byte to behind its last one
  bool take_brackets();
  bool take_scalar();
  bool next_member(JsonPiece& piece);
  bool next_element(JsonPiece& piece);
  bool end_cut();
  [[noreturn]] void fail(const std::string& reason) const;
  std::string_view taken() const { return std::string_view(buffer_).substr(kept_, at_ - kept_); }
  void count_lines();

  ByteStream& stream_;
  std::string name_, list_, key_;
  std::vector<std::string> wanted_;
  std::vector<char> nesting_;
  std::string buffer_;  // [kept_, filled_) is what is still needed
  std::size_t filled_ = 0;
  std::size_t kept_ = 0;  // beginning of the piece at hand
  std::size_t at_ = 0;
  std::size_t counted_ = 0;  // up to which lines were counted
  std::size_t line_ = 1;
  std::uint64_t before_ = 0;  // bytes of the file before the buffer
  Place place_ = Place::before;
  bool alone_ = false;  // the list is the file
  bool ended_ = false;  // no byte is left to read
  bool skips_ = false;  // what is taken need not be kept
  bool cut_ = false;
};

}  // namespace petri
