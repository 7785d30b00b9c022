#include "harness/trace/npy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kMostAxes = 64;  // as NumPy 2 has it

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument(reason);
}

// The header's dictionary: three keys, whose values are a text, a truth value and a tuple of whole numbers.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : left_(text) {}

  void parse(std::string& descr, bool& fortran_order, std::vector<std::uint64_t>& shape) {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(has_descr, true)) {
        descr = described();
      } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
        fortran_order = truth();
      } else if (key == "shape" && !std::exchange(has_shape, true)) {
        shape = tuple();
      } else {
        refuse(fmt::format("its header has a key '{}' that is unknown or there twice", printable(key)));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!left_.empty()) refuse("its header goes on after the dictionary");
    if (!has_descr || !has_order || !has_shape) refuse("its header lacks descr, fortran_order or shape");
  }

 private:
  void skip_space() { left_.remove_prefix(std::min(left_.find_first_not_of(" \n\t\r"), left_.size())); }

  bool take(char wanted) {
    skip_space();
    if (left_.empty() || left_.front() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) refuse(fmt::format("its header is no dictionary: a '{}' is missing", wanted));
  }

  std::string_view quoted() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') expect(quote);
    const std::size_t end = left_.find(quote);
    if (end == std::string_view::npos) refuse("its header has a text without an end");
    const std::string_view text = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return text;
  }

  std::string described() {
    if (take('[')) refuse("its elements are records: save one of their fields");
    return std::string(quoted());
  }

  bool truth() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!left_.starts_with(word)) continue;
      left_.remove_prefix(word.size());
      return value;
    }
    refuse("its header's fortran_order is neither True nor False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    while (!take(')')) {
      if (numbers.size() == kMostAxes) refuse(fmt::format("it has more than {} axes", kMostAxes));
      skip_space();
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
      if (error != std::errc()) refuse("its header's shape is no tuple of whole numbers below 2^64");
      left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
      take('L');  // as Python 2 wrote it
      numbers.push_back(number);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view left_;
};

// NumPy's kinds of numbers: "<f4" is a byte order, a kind and a size.
ElementType type_of(const std::string& descr, bool& big_endian) {
  std::string_view kind = descr;
  if (!kind.empty() && std::string_view("<>|=").find(kind.front()) != std::string_view::npos) {
    big_endian = kind.front() == '>';
    kind.remove_prefix(1);
  }
  if (kind == "bfloat16" || kind == "V2") return ElementType::bfloat16;
  if (kind.starts_with('O')) refuse("its elements are Python objects, which would have to be run to be read");
  static constexpr std::pair<std::string_view, ElementType> kKinds[] = {
      {"f2", ElementType::float16}, {"f4", ElementType::float32}, {"f8", ElementType::float64},
      {"i1", ElementType::int8},    {"i2", ElementType::int16},   {"i4", ElementType::int32},
      {"i8", ElementType::int64},   {"u1", ElementType::uint8},   {"u2", ElementType::uint16},
      {"u4", ElementType::uint32},  {"u8", ElementType::uint64}};
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return k.first == kind; });
  if (found == std::end(kKinds))
    refuse(fmt::format("its elements are '{}', and numbers are f2, f4, f8, i1 to i8, u1 to u8 and V2 (bfloat16)",
                       printable(descr)));
  return found->second;
}

std::uint64_t product(const std::vector<std::uint64_t>& shape, std::uint64_t most) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t elements = 1;
  for (const std::uint64_t axis : shape) {
    if (axis > most / elements) refuse("its header claims more elements than the file has bytes");
    elements *= axis;
  }
  return elements;
}

template <class T>
T loaded(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31)
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000) != 0 ? -value : value;
}

double as_double(ElementType type, const std::byte* from) {
  switch (type) {
    case ElementType::float16: return from_half(loaded<std::uint16_t>(from));
    case ElementType::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(loaded<std::uint16_t>(from)) << 16);
    case ElementType::float32: return loaded<float>(from);
    case ElementType::float64: return loaded<double>(from);
    case ElementType::int8: return loaded<std::int8_t>(from);
    case ElementType::uint8: return loaded<std::uint8_t>(from);
    case ElementType::int16: return loaded<std::int16_t>(from);
    case ElementType::uint16: return loaded<std::uint16_t>(from);
    case ElementType::int32: return loaded<std::int32_t>(from);
    case ElementType::uint32: return loaded<std::uint32_t>(from);
    case ElementType::int64: return static_cast<double>(loaded<std::int64_t>(from));
    default: return static_cast<double>(loaded<std::uint64_t>(from));
  }
}

// A regular file, for as long as it is read.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer: no wait
    struct stat status {};
    const bool fails = descriptor_ < 0 || ::fstat(descriptor_, &status) != 0;
    const std::string reason = fails ? "cannot be read: " + std::generic_category().message(errno) : "no regular file";
    if (!fails && S_ISREG(status.st_mode)) {
      size_ = static_cast<std::uint64_t>(status.st_size);
      return;
    }
    if (descriptor_ >= 0) ::close(descriptor_);
    throw InputError(path, 0, 0, reason);
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::uint64_t size() const { return size_; }

  void read(std::uint64_t at, std::size_t count, std::byte* out) const {
    while (count > 0) {
      const ssize_t got = ::pread(descriptor_, out, count, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw InputError(path_, 0, 0, "cannot be read, or became shorter meanwhile");
      at += static_cast<std::uint64_t>(got);
      out += got;
      count -= static_cast<std::size_t>(got);
    }
  }

 private:
  const std::string& path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view start, std::uint64_t size) {
  if (start.starts_with("PK")) refuse("it is a zip of arrays (.npz): save the one that is meant as .npy");
  if (!start.starts_with("\x93NUMPY") || start.size() < 10) refuse("it is no NumPy array (.npy)");
  const auto byte = [&](std::size_t at) { return static_cast<std::uint64_t>(static_cast<unsigned char>(start[at])); };
  const std::uint64_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) refuse(fmt::format("its format {}.{} is unknown", major, minor));
  const std::size_t begin = major == 1 ? 10 : 12;
  if (start.size() < begin) refuse("it ends within its header");
  std::uint64_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMostNpyHeader - 12) refuse("its header is longer than 64 KiB");
  if (start.size() < begin + length) refuse("it ends within its header");

  NpyHeader header;
  std::string descr;
  Dictionary(start.substr(begin, length)).parse(descr, header.fortran_order, header.shape);
  header.type = type_of(descr, header.big_endian);
  header.data = begin + length;
  const std::uint64_t bytes = size - std::min(size, header.data);
  header.elements = product(header.shape, bytes);
  if (header.elements > bytes / size_of(header.type) || header.elements * size_of(header.type) != bytes)
    refuse(fmt::format("its header claims {} elements of {}, and {} bytes follow", header.elements,
                       name_of(header.type), bytes));
  return header;
}

NpyFile::NpyFile(std::string path) : path_(std::move(path)) {
  const OpenFile file(path_);
  std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), kMostNpyHeader)), '\0');
  file.read(0, start.size(), reinterpret_cast<std::byte*>(start.data()));
  try {
    header_ = parse_npy_header(start, file.size());
  } catch (const std::invalid_argument& reason) {
    throw InputError(path_, 0, 0, reason.what());
  }
}

void NpyFile::read(std::uint64_t first, std::size_t count, std::byte* out) const {
  const std::size_t size = size_of(header_.type);
  if (header_.fortran_order && header_.shape.size() > 1)
    gather(first, count, out);
  else
    OpenFile(path_).read(header_.data + first * size, count * size, out);
  if (!header_.big_endian) return;
  for (std::size_t at = 0; at < count * size; at += size) std::reverse(out + at, out + at + size);
}

void NpyFile::gather(std::uint64_t first, std::size_t count, std::byte* out) const {
  constexpr std::uint64_t kWindow = 65536;
  const std::size_t size = size_of(header_.type);
  const std::uint64_t bytes = header_.elements * size;
  const OpenFile file(path_);
  std::vector<std::byte> window;
  std::uint64_t window_at = 0;
  for (std::size_t i = 0; i < count; ++i, out += size) {
    // From the place in which the last axis varies fastest to that in which the first one does.
    std::uint64_t rest = first + i, after = header_.elements, place = 0, stride = 1;
    for (const std::uint64_t axis : header_.shape) {
      after /= axis;
      place += rest / after * stride;
      rest %= after;
      stride *= axis;
    }
    const std::uint64_t at = place * size;
    if (window.empty() || at < window_at || at >= window_at + window.size()) {
      window_at = at / kWindow * kWindow;
      window.resize(static_cast<std::size_t>(std::min(kWindow, bytes - window_at)));
      file.read(header_.data + window_at, window.size(), window.data());
    }
    std::memcpy(out, window.data() + (at - window_at), size);
  }
}

void NpyFile::read(std::uint64_t first, std::span<double> out) const {
  const std::size_t size = size_of(header_.type);
  std::vector<std::byte> elements(out.size() * size);
  read(first, out.size(), elements.data());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = as_double(header_.type, elements.data() + i * size);
}

}  // namespace petri
