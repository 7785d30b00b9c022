#include "harness/trace/line_source.hpp"

#include <fmt/format.h>

#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t kChunk = 1 << 16;
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";  // RFC 8878, section 3.1.1

std::ifstream open(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(file.string(), 0, 0, "is a directory, not a scenario file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file.string(), 0, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  return in;
}

// Looks at the first bytes and puts them back: a pipe cannot be rewound.
bool is_zstd(std::streambuf& in) {
  std::size_t taken = 0;
  bool equal = true;
  while (equal && taken < kZstdMagic.size()) {
    const int byte = in.sbumpc();
    if (byte == std::char_traits<char>::eof()) break;
    equal = static_cast<char>(byte) == kZstdMagic[taken];
    ++taken;
  }
  const bool found = equal && taken == kZstdMagic.size();
  while (taken-- > 0) in.sungetc();
  return found;
}

}  // namespace

struct LineSource::Streams {
  std::ifstream file;
  io::filtering_streambuf<io::input> zstd;
  std::streambuf* text = nullptr;
};

LineSource::LineSource(const std::filesystem::path& file)
    : name_(file.string()), streams_(std::make_unique<Streams>()) {
  streams_->file = open(file);
  streams_->text = streams_->file.rdbuf();
  if (is_zstd(*streams_->text)) {
    streams_->zstd.push(io::zstd_decompressor());
    streams_->zstd.push(streams_->file);
    streams_->text = &streams_->zstd;
  }
}

LineSource::LineSource(std::istream& in, std::string name)
    : name_(std::move(name)), streams_(std::make_unique<Streams>()) {
  streams_->text = in.rdbuf();
}

LineSource::~LineSource() = default;

bool LineSource::refill() {
  chunk_.resize(kChunk);
  used_ = 0;
  try {
    const std::streamsize got = streams_->text->sgetn(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
    chunk_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  } catch (const std::ios_base::failure& error) {
    throw InputError(name_, number_ + 1, 0, fmt::format("cannot be read on: {}", error.what()));
  }
  return !chunk_.empty();
}

bool LineSource::next(std::string& line) {
  line.clear();
  bool any = false;
  terminated_ = false;
  while (!terminated_ && (used_ < chunk_.size() || refill())) {
    any = true;
    const std::string_view rest = std::string_view(chunk_).substr(used_);
    const std::size_t newline = rest.find('\n');
    terminated_ = newline != std::string_view::npos;
    line.append(rest.substr(0, newline));
    used_ = terminated_ ? used_ + newline + 1 : chunk_.size();
    if (line.size() > kMaxLine)
      throw InputError(name_, number_ + 1, kMaxLine + 1,
                       fmt::format("expected the line to end: no line may be longer than {} MiB", kMaxLine >> 20));
  }
  if (any) ++number_;
  return any;
}

}  // namespace petri
