#include "harness/trace/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel has it

[[noreturn]] void fail(const fs::path& file, int error) {
  throw std::system_error(error != 0 ? error : EIO, std::generic_category(), file.string());
}

// Of /proc/self/fd/N, by whatever name its folder has, such as /dev/fd.
std::optional<int> descriptor_named(const fs::path& file) {
  const std::string name = file.filename();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  std::error_code ignored;
  const fs::path folder = fs::canonical(file.parent_path(), ignored);
  if (folder != fs::path("/proc") / std::to_string(::getpid()) / "fd") return std::nullopt;
  return number;
}

void write_all(int descriptor, std::string_view text, const fs::path& file) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) fail(file, errno);
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A descriptor is written to where it stands: to open it anew would empty a file behind it, and sockets refuse.
void write_special(const WritePlace& place, std::string_view text, const fs::path& file) {
  if (place.descriptor == STDOUT_FILENO) std::fflush(stdout);  // what was said before comes before
  if (place.descriptor >= 0) return write_all(place.descriptor, text, file);
  const int opened = ::open(place.file.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) fail(file, errno);
  try {
    write_all(opened, text, file);
  } catch (...) {
    ::close(opened);
    throw;
  }
  if (::close(opened) != 0) fail(file, errno);
}

// A regular file that is read once.
class OpenedFile {
 public:
  explicit OpenedFile(const fs::path& file) : file_(file) {
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer: no wait
    struct stat status {};
    std::string reason;
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0)
      reason = "cannot be read: " + std::generic_category().message(errno);
    else if (!S_ISREG(status.st_mode))
      reason = "is no file";
    size_ = static_cast<std::uint64_t>(status.st_size);
    if (reason.empty()) return;
    if (descriptor_ >= 0) ::close(descriptor_);
    fail(reason);
  }
  ~OpenedFile() { ::close(descriptor_); }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  std::uint64_t size() const { return size_; }

  void read(std::span<std::byte> into) const {
    while (!into.empty()) {
      const ssize_t got = ::read(descriptor_, into.data(), into.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("cannot be read: " + std::generic_category().message(errno));
      if (got == 0) fail("became shorter while it was read");
      into = into.subspan(static_cast<std::size_t>(got));
    }
  }

  [[noreturn]] void fail(const std::string& reason) const { throw InputError(file_.string(), 0, 0, reason); }

 private:
  const fs::path& file_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace

WritePlace place_of(const fs::path& file) {
  WritePlace place{file};
  std::error_code ignored;
  for (int links = 0;; ++links) {
    if (const auto descriptor = descriptor_named(place.file)) return {place.file, *descriptor, true};
    if (!fs::is_symlink(place.file, ignored)) break;
    if (links == kMostLinks) fail(file, ELOOP);
    place.file = place.file.parent_path() / fs::read_symlink(place.file);
  }
  place.special = fs::exists(place.file, ignored) && !fs::is_regular_file(place.file, ignored) &&
                  !fs::is_directory(place.file, ignored);
  return place;
}

bool same_place(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  if (fs::is_character_file(a, ignored)) return false;
  if (fs::equivalent(a, b, ignored)) return true;
  const WritePlace at = place_of(a);
  const WritePlace other = place_of(b);
  if (at.special || other.special) return at.descriptor >= 0 && at.descriptor == other.descriptor;
  return fs::weakly_canonical(fs::absolute(at.file)) == fs::weakly_canonical(fs::absolute(other.file));
}

void write_whole(const fs::path& file, const std::function<void(std::ostream&)>& put) {
  const WritePlace place = place_of(file);
  if (place.special) {
    std::ostringstream text;
    put(text);
    return write_special(place, text.view(), file);
  }
  fs::path temporary = place.file;
  temporary += ".part" + std::to_string(::getpid());
  try {
    errno = 0;
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) fail(file, errno);
    put(out);
    out.close();
    if (!out) fail(file, errno);
    fs::rename(temporary, place.file);
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

std::string read_whole(const fs::path& file, std::uint64_t most) {
  const OpenedFile opened(file);
  if (opened.size() > most) opened.fail(fmt::format("has {} bytes, and {} at most are read", opened.size(), most));
  std::string content(static_cast<std::size_t>(opened.size()), '\0');
  opened.read(std::as_writable_bytes(std::span(content)));
  return content;
}

void read_whole(const fs::path& file, std::span<std::byte> into) {
  const OpenedFile opened(file);
  if (opened.size() != into.size())
    opened.fail(fmt::format("has {} bytes, and should have {}", opened.size(), into.size()));
  opened.read(into);
}

}  // namespace petri
