#include "harness/import/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr std::size_t kInMemory = std::size_t{16} << 20;

[[noreturn]] void fail(const std::string& what) {
  throw EnvironmentError(fmt::format("{}: {} (TMPDIR names another place for temporary files)", what,
                                     std::generic_category().message(errno)));
}

class SpoolStream : public ByteStream {
 public:
  SpoolStream(std::shared_ptr<const Spool> spool, std::uint64_t begin, std::uint64_t end)
      : spool_(std::move(spool)), begin_(begin), at_(begin), end_(end) {}

  std::size_t read(char* to, std::size_t most) override {
    const auto left = static_cast<std::size_t>(std::min<std::uint64_t>(most, end_ - at_));
    const std::size_t count = spool_->read(at_, to, left);
    at_ += count;
    return count;
  }
  std::optional<std::uint64_t> size() const override { return end_ - begin_; }
  bool seek(std::uint64_t place) override {
    at_ = begin_ + std::min(place, end_ - begin_);
    return true;
  }

 private:
  std::shared_ptr<const Spool> spool_;
  std::uint64_t begin_, at_, end_;
};

}  // namespace

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Spool::append(std::string_view bytes) {
  if (descriptor_ < 0 && memory_.size() + bytes.size() <= kInMemory) {
    memory_ += bytes;
    size_ += bytes.size();
    return;
  }
  if (descriptor_ < 0) move_to_file();
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("cannot write into a temporary file");
    size_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Spool::move_to_file() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) throw EnvironmentError("there is no folder for temporary files (TMPDIR names one): " + error.message());
  std::string name = (folder / "petri-XXXXXX").string();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot make a temporary file in " + folder.string());
  ::unlink(name.c_str());
  size_ = 0;
  append(std::exchange(memory_, {}));
}

std::size_t Spool::read(std::uint64_t at, char* to, std::size_t most) const {
  if (descriptor_ < 0) return at < size_ ? memory_.copy(to, most, static_cast<std::size_t>(at)) : 0;
  for (;;) {
    const ssize_t count = ::pread(descriptor_, to, most, static_cast<off_t>(at));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail("cannot read a temporary file");
  }
}

std::unique_ptr<ByteStream> stream_of(std::shared_ptr<const Spool> spool, std::uint64_t begin, std::uint64_t end) {
  return std::make_unique<SpoolStream>(std::move(spool), begin, end);
}

}  // namespace petri
