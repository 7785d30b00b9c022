#include "harness/import/json_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kMostNesting = 1024;

constexpr bool is_blank(char byte, bool commas = true) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || (commas && byte == ',');
}

// What ends a stretch of bytes within brackets that needs no look at each of them.
constexpr std::array<bool, 256> kOfInterest = [] {
  std::array<bool, 256> table{};
  for (const char byte : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(byte)] = true;
  return table;
}();

}  // namespace

JsonPieces::JsonPieces(ByteStream& stream, std::string name, std::string list, std::vector<std::string> wanted)
    : stream_(stream), name_(std::move(name)), list_(std::move(list)), wanted_(std::move(wanted)) {
  buffer_.resize(kChunk + kRoomBehindPiece);
}

void JsonPieces::fail(const std::string& reason) const {
  const auto end = buffer_.begin() + static_cast<long>(at_);
  const auto more = std::count(buffer_.begin() + static_cast<long>(std::min(counted_, at_)), end, '\n');
  throw InputError(name_, line_ + static_cast<std::size_t>(more), 0, reason);
}

void JsonPieces::count_lines() {
  line_ += static_cast<std::size_t>(
      std::count(buffer_.begin() + static_cast<long>(counted_), buffer_.begin() + static_cast<long>(kept_), '\n'));
  counted_ = kept_;
}

bool JsonPieces::refill() {
  if (ended_) return false;
  if (skips_) kept_ = at_;
  if (kept_ > 0) {
    count_lines();
    std::memmove(buffer_.data(), buffer_.data() + kept_, filled_ - kept_);
    before_ += kept_;
    filled_ -= kept_;
    at_ -= kept_;
    kept_ = counted_ = 0;
  }
  const std::size_t room = buffer_.size() - kRoomBehindPiece;
  if (filled_ == room) {
    if (filled_ >= kMostPieceBytes) fail(fmt::format("a part of more than {} bytes", kMostPieceBytes));
    buffer_.resize(std::min(2 * room, kMostPieceBytes) + kRoomBehindPiece);
  }
  const std::size_t count = stream_.read(buffer_.data() + filled_, buffer_.size() - kRoomBehindPiece - filled_);
  filled_ += count;
  ended_ = count == 0;
  return !ended_;
}

bool JsonPieces::skip_blank(char& byte, bool commas) {
  for (;;) {
    while (at_ < filled_ && is_blank(buffer_[at_], commas)) ++at_;
    kept_ = at_;
    if (at_ < filled_) {
      byte = buffer_[at_];
      return true;
    }
    if (!refill()) return false;
  }
}

bool JsonPieces::take_string() {
  std::size_t from = at_ + 1;  // in the buffer, before which the string has been looked at
  for (;;) {
    const void* quote = from < filled_ ? std::memchr(buffer_.data() + from, '"', filled_ - from) : nullptr;
    if (quote == nullptr) {
      const std::size_t done = filled_ - at_;
      if (!refill()) return false;
      from = at_ + done;
      continue;
    }
    const std::size_t end = static_cast<std::size_t>(static_cast<const char*>(quote) - buffer_.data());
    std::size_t slashes = 0;
    while (buffer_[end - 1 - slashes] == '\\') ++slashes;
    from = end + 1;
    if (slashes % 2 != 0) continue;
    at_ = from;
    return true;
  }
}

bool JsonPieces::take_brackets() {
  nesting_.clear();
  for (;;) {
    while (at_ < filled_ && !kOfInterest[static_cast<unsigned char>(buffer_[at_])]) ++at_;
    if (at_ == filled_) {
      if (!refill()) return false;
      continue;
    }
    const char byte = buffer_[at_];
    if (byte == '"') {
      if (!take_string()) return false;
      continue;
    }
    if (byte == '{' || byte == '[') {
      if (nesting_.size() == kMostNesting) fail(fmt::format("brackets nest more than {} deep", kMostNesting));
      nesting_.push_back(byte == '{' ? '}' : ']');
    } else if (nesting_.back() != byte) {
      fail(fmt::format("\"{}\" was expected, to close what was opened, got \"{}\"", nesting_.back(), byte));
    } else {
      nesting_.pop_back();
    }
    ++at_;
    if (nesting_.empty()) return true;
  }
}

// A number or a word, or nothing at all where a value is missing. What ends it is left.
bool JsonPieces::take_scalar() {
  for (;;) {
    while (at_ < filled_ && !is_blank(buffer_[at_]) && !kOfInterest[static_cast<unsigned char>(buffer_[at_])]) ++at_;
    if (at_ < filled_) return true;
    if (!refill()) return false;
  }
}

bool JsonPieces::take_value() {
  const char byte = buffer_[at_];
  if (byte == '"') return take_string();
  if (byte == '{' || byte == '[') return take_brackets();
  return take_scalar();
}

bool JsonPieces::end_cut() {
  cut_ = true;
  place_ = Place::behind;
  return false;
}

// In the outermost object, at a key or at its end: false where that is, and where the list begins.
bool JsonPieces::next_member(JsonPiece& piece) {
  for (char byte = 0;;) {
    if (!skip_blank(byte)) return end_cut();
    if (byte == '}') {
      ++at_;
      place_ = Place::behind;
      return false;
    }
    if (byte != '"') fail(fmt::format("a key was expected, got \"{}\"", byte));
    if (!take_string()) return end_cut();
    key_ = std::string(taken().substr(1, taken().size() - 2));
    if (!skip_blank(byte, false)) return end_cut();
    if (byte != ':') fail(fmt::format("\":\" was expected behind a key, got \"{}\"", byte));
    ++at_;
    if (!skip_blank(byte, false)) return end_cut();
    if (key_ == list_ && byte == '[') {
      ++at_;
      place_ = Place::list;
      return false;
    }
    const bool wanted = std::find(wanted_.begin(), wanted_.end(), key_) != wanted_.end();
    skips_ = !wanted;
    const bool whole = take_value();
    skips_ = false;
    if (!whole) return end_cut();
    if (!wanted) continue;
    count_lines();
    piece = {key_, taken(), line_};
    return true;
  }
}

// In the list: false where it ends.
bool JsonPieces::next_element(JsonPiece& piece) {
  char byte = 0;
  if (!skip_blank(byte)) return end_cut();
  if (byte == ']') {
    ++at_;
    place_ = alone_ ? Place::behind : Place::object;
    return false;
  }
  if (byte == '}' || byte == ':') fail(fmt::format("an element of a list was expected, got \"{}\"", byte));
  if (!take_value()) return end_cut();
  count_lines();
  piece = {{}, taken(), line_};
  return true;
}

bool JsonPieces::next(JsonPiece& piece) {
  if (place_ == Place::before) {
    char byte = 0;
    if (!skip_blank(byte)) fail("the file is empty");
    if (byte != '{' && byte != '[') fail("a JSON object was expected");
    ++at_;
    alone_ = byte == '[';
    place_ = alone_ ? Place::list : Place::object;
  }
  while (place_ != Place::behind)
    if (place_ == Place::list ? next_element(piece) : next_member(piece)) return true;
  return false;
}

}  // namespace petri
