#include "harness/import/unpack.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

using namespace std::string_view_literals;

constexpr std::array kMagics{"\x1f\x8b"sv,
                             "\x28\xb5\x2f\xfd"sv,
                             "\xfd"
                             "7zXZ\0"sv,
                             "BZh"sv,
                             "PK\x03\x04"sv,
                             "7z\xbc\xaf\x27\x1c"sv};
constexpr std::size_t kTarMagicAt = 257;  // "ustar" (POSIX.1-2017, pax, "ustar Interchange Format")
constexpr std::size_t kChunk = 1 << 18;

// libarchive reading from a stream of ours.
class Unpacker {
 public:
  explicit Unpacker(const TraceFile& file) : name_(file.name), source_(file.open()), archive_(::archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
    ::archive_read_support_filter_all(archive_);
    ::archive_read_support_format_all(archive_);
    ::archive_read_support_format_raw(archive_);
    check(::archive_read_open(archive_, this, nullptr, &Unpacker::more, nullptr));
  }
  ~Unpacker() { ::archive_read_free(archive_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // The next member, or nothing at the end.
  ::archive_entry* next() {
    ::archive_entry* entry = nullptr;
    const int status = ::archive_read_next_header(archive_, &entry);
    if (status == ARCHIVE_EOF) return nullptr;
    check(status);
    return entry;
  }

  // After `next`: the whole is one compressed file.
  bool is_raw() const { return ::archive_format(archive_) == ARCHIVE_FORMAT_RAW; }

  std::size_t read(char* to, std::size_t most) {
    const la_ssize_t count = ::archive_read_data(archive_, to, most);
    if (count < 0) check(static_cast<int>(count));
    return static_cast<std::size_t>(std::max<la_ssize_t>(count, 0));
  }

 private:
  static la_ssize_t more(::archive* archive, void* self, const void** bytes) {
    auto& unpacker = *static_cast<Unpacker*>(self);
    try {
      *bytes = unpacker.chunk_.data();
      return static_cast<la_ssize_t>(unpacker.source_->read(unpacker.chunk_.data(), unpacker.chunk_.size()));
    } catch (const std::exception& error) {  // no exception may pass through C
      ::archive_set_error(archive, EIO, "%s", error.what());
      return ARCHIVE_FATAL;
    }
  }

  void check(int status) const {
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    const char* reason = ::archive_error_string(archive_);
    throw InputError(name_, 0, 0, fmt::format("cannot be unpacked: {}", reason != nullptr ? reason : "it is broken"));
  }

  std::string name_;
  std::unique_ptr<ByteStream> source_;
  ::archive* archive_;
  std::vector<char> chunk_ = std::vector<char>(kChunk);
};

class UnpackedStream : public ByteStream {
 public:
  explicit UnpackedStream(const TraceFile& file) : unpacker_(file) { at_end_ = unpacker_.next() == nullptr; }
  std::size_t read(char* to, std::size_t most) override { return at_end_ ? 0 : unpacker_.read(to, most); }

 private:
  Unpacker unpacker_;
  bool at_end_ = false;
};

// A file without a name: gone with its descriptor, whatever happens.
class Spool {
 public:
  Spool() {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    std::string name = (folder / "petri-XXXXXX").string();
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot make a temporary file in " + folder.string());
    ::unlink(name.c_str());
  }
  ~Spool() { ::close(descriptor_); }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  std::uint64_t size() const { return size_; }

  void append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("cannot unpack into a temporary file");
      size_ += static_cast<std::uint64_t>(count);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  std::size_t read(std::uint64_t at, char* to, std::size_t most) const {
    for (;;) {
      const ssize_t count = ::pread(descriptor_, to, most, static_cast<off_t>(at));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail("cannot read a temporary file");
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw EnvironmentError(fmt::format("{}: {}", what, std::generic_category().message(errno)));
  }

  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

class SpoolStream : public ByteStream {
 public:
  SpoolStream(std::shared_ptr<const Spool> spool, std::uint64_t begin, std::uint64_t end)
      : spool_(std::move(spool)), at_(begin), end_(end) {}
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count =
        spool_->read(at_, to, static_cast<std::size_t>(std::min<std::uint64_t>(most, end_ - at_)));
    at_ += count;
    return count;
  }

 private:
  std::shared_ptr<const Spool> spool_;
  std::uint64_t at_, end_;
};

void copy_member(Unpacker& unpacker, const std::string& archive, Spool& spool) {
  std::vector<char> chunk(kChunk);
  while (const std::size_t count = unpacker.read(chunk.data(), chunk.size())) {
    if (spool.size() + count > kMostUnpackedBytes)
      throw InputError(archive, 0, 0, fmt::format("unpacks to more than {} bytes", kMostUnpackedBytes));
    spool.append({chunk.data(), count});
  }
}

}  // namespace

bool is_packed(std::string_view head) {
  return std::any_of(kMagics.begin(), kMagics.end(), [&](std::string_view magic) { return head.starts_with(magic); }) ||
         head.substr(std::min(head.size(), kTarMagicAt)).starts_with("ustar");
}

bool is_archive(const TraceFile& file) {
  Unpacker unpacker(file);
  return unpacker.next() == nullptr || !unpacker.is_raw();
}

std::unique_ptr<ByteStream> unpacked(const TraceFile& file) {
  return std::make_unique<UnpackedStream>(file);
}

std::vector<ArchiveMember> unpack(const TraceFile& file) {
  Unpacker unpacker(file);
  const auto spool = std::make_shared<Spool>();
  std::vector<ArchiveMember> members;
  while (::archive_entry* entry = unpacker.next()) {
    if (::archive_entry_filetype(entry) != AE_IFREG) continue;
    const char* name = ::archive_entry_pathname(entry);
    if (members.size() >= kMostTraceFiles)
      throw InputError(file.name, 0, 0, fmt::format("more than {} files are in it", kMostTraceFiles));
    const std::uint64_t begin = spool->size();
    std::string kept = name != nullptr ? name : "";
    copy_member(unpacker, file.name, *spool);
    const std::uint64_t end = spool->size();
    members.push_back({std::move(kept), [spool, begin, end]() -> std::unique_ptr<ByteStream> {
                         return std::make_unique<SpoolStream>(spool, begin, end);
                       }});
  }
  return members;
}

}  // namespace petri
