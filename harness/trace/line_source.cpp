#include "harness/trace/line_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ios>
#include <istream>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t kChunk = 1 << 16;

// What compressed files begin with, and what unpacks those that are not read.
struct Format {
  std::string_view magic, name, unpack;
};
using namespace std::string_view_literals;
constexpr std::array kFormats{
    Format{"\x28\xb5\x2f\xfd"sv, "zstd", ""},     // RFC 8878, section 3.1.1
    Format{"\x1f\x8b"sv, "gzip", "gzip -dc"},     // RFC 1952, section 2.3.1
    Format{"\xfd\x37zXZ\x00"sv, "xz", "xz -dc"},  // The .xz File Format, section 2.1.1.1
    Format{"BZh"sv, "bzip2", "bzip2 -dc"},       Format{"\x04\x22\x4d\x18"sv, "lz4", "lz4 -dc"},
    Format{"PK\x03\x04"sv, "zip", "unzip -p"},
};

// What the system says, where it is the system that refuses.
std::string reason_of(const std::ios_base::failure& error) {
  return error.code().category() == std::generic_category() ? error.code().message() : error.what();
}

std::ifstream open(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(file.string(), 0, 0, "is a directory, not a scenario file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file.string(), 0, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  return in;
}

// Looks at the first bytes, no more than tell, and puts them back: a pipe cannot be rewound.
const Format* compression_of(std::streambuf& in) {
  std::string begin;
  const auto goes_on = [&](const Format& format) { return format.magic.starts_with(begin); };
  const Format* found = nullptr;
  while (found == nullptr && std::any_of(kFormats.begin(), kFormats.end(), goes_on)) {
    const int byte = in.sbumpc();
    if (byte == std::char_traits<char>::eof()) break;
    begin += static_cast<char>(byte);
    for (const Format& format : kFormats)
      if (format.magic == begin) found = &format;
  }
  for (std::size_t taken = begin.size(); taken > 0; --taken) in.sungetc();
  return found;
}

}  // namespace

struct LineSource::Streams {
  std::ifstream file;
  io::filtering_streambuf<io::input> zstd;
  std::streambuf* text = nullptr;
};

LineSource::LineSource(std::string name, std::unique_ptr<Streams> streams)
    : name_(std::move(name)), streams_(std::move(streams)) {
  const Format* format = nullptr;
  try {
    format = compression_of(*streams_->text);
  } catch (const std::ios_base::failure& error) {
    throw InputError(name_, 0, 0, fmt::format("cannot be read: {}", reason_of(error)));
  }
  if (format != nullptr) {
    if (format != &kFormats.front())
      throw InputError(name_, 0, 0,
                       fmt::format("is compressed by {}, and only plain text and zstd are read: unpack it by {}",
                                   format->name, format->unpack));
    compressed_ = true;
    streams_->zstd.push(io::zstd_decompressor());
    streams_->zstd.push(*streams_->text);
    streams_->text = &streams_->zstd;
  }
}

LineSource::LineSource(const std::filesystem::path& file)
    : LineSource(file.string(), [&] {
        auto streams = std::make_unique<Streams>();
        streams->file = open(file);
        streams->text = streams->file.rdbuf();
        return streams;
      }()) {}

LineSource::LineSource(std::istream& in, std::string name)
    : LineSource(std::move(name), [&] {
        auto streams = std::make_unique<Streams>();
        streams->text = in.rdbuf();
        return streams;
      }()) {}

LineSource::~LineSource() = default;

std::size_t LineSource::append_to(std::string& text) {
  const std::size_t before = text.size();
  text.resize(before + kChunk);
  try {
    const std::streamsize got = streams_->text->sgetn(text.data() + before, kChunk);
    text.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  } catch (const std::ios_base::failure& error) {
    throw InputError(name_, number_ + 1, 0, fmt::format("cannot be read on: {}", reason_of(error)));
  }
  return text.size() - before;
}

void LineSource::check_length(std::size_t line) const {
  if (line > kMaxLine)
    throw InputError(name_, number_ + 1, kMaxLine + 1,
                     fmt::format("expected the line to end: no line may be longer than {} MiB", kMaxLine >> 20));
}

bool LineSource::next(std::string& line) {
  line.clear();
  bool any = false;
  terminated_ = false;
  while (!terminated_) {
    if (used_ == chunk_.size()) {
      chunk_.clear();
      used_ = 0;
      if (append_to(chunk_) == 0) break;
    }
    any = true;
    const std::string_view rest = std::string_view(chunk_).substr(used_);
    const std::size_t newline = rest.find('\n');
    terminated_ = newline != std::string_view::npos;
    line.append(rest.substr(0, newline));
    used_ = terminated_ ? used_ + newline + 1 : chunk_.size();
    check_length(line.size());
  }
  if (any) ++number_;
  return any;
}

// A block ends with the last newline of the first chunk that has one: nothing that has been read waits for what may be
// damaged. Only its first line can be longer than a chunk.
bool LineSource::next(LineBlock& block) {
  std::string& text = block.text_;
  text.assign(chunk_, used_);
  used_ = 0;
  std::size_t newline = text.find('\n');
  for (bool more = true; more && newline == std::string::npos;) {
    const std::size_t seen = text.size();
    more = append_to(text) > 0;
    newline = text.find('\n', seen);
    check_length(std::min(newline, text.size()));
  }
  const std::size_t end = newline != std::string::npos ? text.rfind('\n') + 1 : text.size();
  chunk_.assign(text, end);
  text.resize(end);
  block.first_ = number_ + 1;
  block.terminated_ = terminated_ = newline != std::string::npos;
  number_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (!terminated_ && !text.empty()) ++number_;
  text.append(kRoomBehind, '\0');
  return end > 0;
}

}  // namespace petri
