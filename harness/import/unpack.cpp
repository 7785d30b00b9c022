#include "harness/import/unpack.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include "harness/import/gunzip.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

using namespace std::string_view_literals;

struct Magic {
  Packing packing;
  std::size_t at;
  std::string_view bytes;
};

constexpr std::array kMagics{
    Magic{Packing::gzip, 0, "\x1f\x8b"sv},                 // RFC 1952, section 2.3.1
    Magic{Packing::zstd, 0, "\x28\xb5\x2f\xfd"sv},         // RFC 8878, section 3.1.1
    Magic{Packing::xz, 0, "\xfd\x37zXZ\0"sv},              // The .xz File Format, section 2.1.1.1
    Magic{Packing::bzip2, 0, "BZh"sv},                     // bzip2 1.0, compress.c, BZ2_compressBlock
    Magic{Packing::lz4, 0, "\x04\x22\x4d\x18"sv},          // LZ4 Frame Format, General Structure
    Magic{Packing::zip, 0, "PK\x03\x04"sv},                // APPNOTE.TXT, section 4.3.7
    Magic{Packing::zip, 0, "PK\x05\x06"sv},                // section 4.3.16: nothing is in it
    Magic{Packing::seven_zip, 0, "7z\xbc\xaf\x27\x1c"sv},  // 7zFormat.txt, Signature Header
    Magic{Packing::tar, 257, "ustar"sv},                   // POSIX.1-2017, pax, "ustar Interchange Format"
};
constexpr std::size_t kChunk = 1 << 18;
constexpr int kMostEmptyBlocks = 1000;

int filter_of(Packing packing) {
  switch (packing) {
    case Packing::zstd: return ARCHIVE_FILTER_ZSTD;
    case Packing::xz: return ARCHIVE_FILTER_XZ;
    case Packing::bzip2: return ARCHIVE_FILTER_BZIP2;
    case Packing::lz4: return ARCHIVE_FILTER_LZ4;
    default: return ARCHIVE_FILTER_NONE;
  }
}

// libarchive reading from a stream of ours, in one format or through one filter.
class Unpacker {
 public:
  struct Failure {
    std::string reason;
    bool final;  // nothing can be read behind it
  };

  Unpacker(Packing packing, std::unique_ptr<ByteStream> source)
      : source_(std::move(source)), archive_(::archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
    try {
      open(packing);
    } catch (...) {
      ::archive_read_free(archive_);
      throw;
    }
  }
  ~Unpacker() { ::archive_read_free(archive_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  bool source_ended() const { return source_ended_; }
  std::uint64_t source_bytes() const { return static_cast<std::uint64_t>(read_); }  // that were read of it

  // The next member, or nothing at the end. Throws Failure, as the others do.
  ::archive_entry* next() {
    block_ = {};
    gap_ = at_ = 0;
    ::archive_entry* entry = nullptr;
    const int status = ::archive_read_next_header(archive_, &entry);
    if (status == ARCHIVE_EOF) return nullptr;
    check(status);
    return entry;
  }

  // Block by block, so that nothing is lost that comes before a failure. Holes of sparse files are zeros.
  std::size_t read(char* to, std::size_t most) {
    while (gap_ == 0 && block_.empty())
      if (!fetch()) return 0;
    const bool of_gap = gap_ > 0;
    const std::size_t count =
        of_gap ? static_cast<std::size_t>(std::min<std::uint64_t>(gap_, most)) : block_.copy(to, most);
    at_ += count;
    if (!of_gap) {
      block_.remove_prefix(count);
    } else {
      std::fill_n(to, count, '\0');
      gap_ -= count;
    }
    return count;
  }

 private:
  void open(Packing packing) {
    if (is_archive(packing)) {
      check(packing == Packing::tar   ? ::archive_read_support_format_tar(archive_)
            : packing == Packing::zip ? ::archive_read_support_format_zip(archive_)
                                      : ::archive_read_support_format_7zip(archive_));
    } else {
      check(::archive_read_append_filter(archive_, filter_of(packing)));
      check(::archive_read_support_format_raw(archive_));
      check(::archive_read_support_format_empty(archive_));
    }
    check(::archive_read_set_callback_data(archive_, this));
    check(::archive_read_set_read_callback(archive_, &Unpacker::more));
    if (source_->size()) check(::archive_read_set_seek_callback(archive_, &Unpacker::seek));
    check(::archive_read_open1(archive_));
  }

  bool fetch() {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = ::archive_read_data_block(archive_, &bytes, &size, &offset);
    if (status == ARCHIVE_EOF) return false;
    check(status);
    empty_blocks_ = size == 0 ? empty_blocks_ + 1 : 0;
    if (empty_blocks_ > kMostEmptyBlocks) throw Failure{"it does not go on", true};
    if (offset < 0 || static_cast<std::uint64_t>(offset) < at_) throw Failure{"its parts are out of order", true};
    gap_ = static_cast<std::uint64_t>(offset) - at_;
    block_ = {static_cast<const char*>(bytes), size};
    return true;
  }

  static la_ssize_t more(::archive* archive, void* self, const void** bytes) {
    auto& unpacker = *static_cast<Unpacker*>(self);
    try {
      *bytes = unpacker.chunk_.data();
      const std::size_t count = unpacker.source_->read(unpacker.chunk_.data(), unpacker.chunk_.size());
      unpacker.read_ += static_cast<la_int64_t>(count);
      unpacker.source_ended_ = count == 0;
      return static_cast<la_ssize_t>(count);
    } catch (const std::exception& error) {  // no exception may pass through C
      ::archive_set_error(archive, EIO, "%s", error.what());
      return ARCHIVE_FATAL;
    }
  }

  static la_int64_t seek(::archive* archive, void* self, la_int64_t offset, int whence) {
    auto& unpacker = *static_cast<Unpacker*>(self);
    const auto size = static_cast<la_int64_t>(unpacker.source_->size().value_or(0));
    const la_int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? unpacker.read_ : size;
    const la_int64_t place = std::clamp<la_int64_t>(offset, -from, size - from) + from;
    try {
      if (!unpacker.source_->seek(static_cast<std::uint64_t>(place))) return ARCHIVE_FATAL;
    } catch (const std::exception& error) {
      ::archive_set_error(archive, EIO, "%s", error.what());
      return ARCHIVE_FATAL;
    }
    return unpacker.read_ = place;
  }

  void check(int status) const {
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    const char* reason = ::archive_error_string(archive_);
    throw Failure{reason != nullptr ? reason : "it is broken", status == ARCHIVE_FATAL};
  }

  std::unique_ptr<ByteStream> source_;
  la_int64_t read_ = 0;  // of the source
  bool source_ended_ = false;
  int empty_blocks_ = 0;  // in a row
  ::archive* archive_;
  std::vector<char> chunk_ = std::vector<char>(kChunk);
  std::string_view block_;          // of the member, what was fetched and not yet read
  std::uint64_t gap_ = 0, at_ = 0;  // the hole before it, and the place in the member
};

// No compression needs more for nothing.
constexpr std::uint64_t kMostOfNothing = 64;

class UnpackedStream : public ByteStream {
 public:
  UnpackedStream(const TraceFile& file, Packing packing, std::uint64_t most)
      : name_(file.name), broken_off_(file.broken_off), most_(most) {
    guarded([&] {
      unpacker_.emplace(packing, file.open());
      at_end_ = unpacker_->next() == nullptr;
      // libarchive takes a header or a first block that is broken for the end.
      if (at_end_ && unpacker_->source_bytes() > kMostOfNothing)
        throw Unpacker::Failure{"it is broken, or breaks off at its beginning", true};
      return std::size_t{0};
    });
  }

  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = at_end_ ? 0 : guarded([&] { return unpacker_->read(to, most); });
    if (count > most_ - taken_) fail_of_size(name_, most_);
    taken_ += count;
    return count;
  }

 private:
  // What is missing at the end is no reason to lose what comes before it.
  template <class Action>
  std::size_t guarded(const Action& action) {
    try {
      return action();
    } catch (const Unpacker::Failure& failure) {
      if (taken_ == 0 || !unpacker_->source_ended() || broken_off_ == nullptr)
        throw InputError(name_, 0, 0, "cannot be unpacked: " + failure.reason);
      *broken_off_ = true;
      at_end_ = true;
      return 0;
    }
  }

  std::string name_;
  std::shared_ptr<std::atomic<bool>> broken_off_;
  std::uint64_t most_, taken_ = 0;
  std::optional<Unpacker> unpacker_;
  bool at_end_ = false;
};

// A member that is being read.
class MemberStream : public ByteStream {
 public:
  explicit MemberStream(Unpacker& unpacker) : unpacker_(unpacker) {}
  std::size_t read(char* to, std::size_t most) override { return unpacker_.read(to, most); }

 private:
  Unpacker& unpacker_;
};

bool is_hidden(const std::string& name) {
  for (const std::filesystem::path& part : std::filesystem::path(name))
    if (part.native().starts_with('.') && part != "." && part != "..") return true;
  return false;
}

// An archive on its way into the room.
class Unpacking {
 public:
  Unpacking(const TraceFile& file, Packing packing, UnpackRoom& room, std::vector<FileNote>& notes)
      : file_(file), room_(room), notes_(notes), unpacker_(packing, seekable(packing)) {}

  std::vector<ArchiveMember> members() {
    try {
      while (::archive_entry* entry = unpacker_.next())
        if (!take(entry)) break;
    } catch (const Unpacker::Failure& failure) {
      if (members_.empty()) throw;
      note(file_.name, failure);
    }
    return std::move(members_);
  }

 private:
  // Archives that list their members at their end are read from there.
  std::unique_ptr<ByteStream> seekable(Packing packing) {
    std::unique_ptr<ByteStream> stream = file_.open();
    if (packing == Packing::tar || stream->size()) return stream;
    const std::uint64_t begin = room_.spool()->size();
    room_.take(*stream, file_.name);
    return stream_of(room_.spool(), begin, room_.spool()->size());
  }

  // False where nothing more can be read.
  bool take(::archive_entry* entry) {
    room_.count_member(file_.name);
    // A name in characters that the locale has not is there as UTF-8 only.
    const std::string name = text(::archive_entry_pathname(entry), ::archive_entry_pathname_utf8(entry));
    if (is_hidden(name)) return true;
    const std::string first = text(::archive_entry_hardlink(entry), ::archive_entry_hardlink_utf8(entry));
    if (const auto found = places_.find(first); !first.empty() && found != places_.end()) {
      members_.push_back(members_[found->second]);
      members_.back().name = name;
      return true;
    }
    if (::archive_entry_filetype(entry) != AE_IFREG) return true;
    const std::uint64_t begin = room_.spool()->size();
    bool more = true;
    try {
      MemberStream stream(unpacker_);
      room_.take(stream, file_.name);
    } catch (const Unpacker::Failure& failure) {
      note(file_.name + "/" + name, failure);
      more = !failure.final;
    }
    places_.emplace(name, members_.size());
    members_.push_back({name, begin, room_.spool()->size()});
    return more;
  }

  static std::string text(const char* of_locale, const char* utf8) {
    return of_locale != nullptr ? of_locale : utf8 != nullptr ? utf8 : "";
  }

  void note(const std::string& name, const Unpacker::Failure& failure) {
    notes_.push_back({name, fmt::format("breaks off, and is used as far as it goes: {}", failure.reason)});
  }

  const TraceFile& file_;
  UnpackRoom& room_;
  std::vector<FileNote>& notes_;
  Unpacker unpacker_;
  std::vector<ArchiveMember> members_;
  std::unordered_map<std::string, std::size_t> places_;  // of members, by name
};

}  // namespace

Packing packing_of(std::string_view head) {
  for (const Magic& magic : kMagics)
    if (head.size() > magic.at && head.substr(magic.at).starts_with(magic.bytes)) return magic.packing;
  return Packing::none;
}

void fail_of_size(const std::string& name, std::uint64_t most) {
  throw UnpackBoundError(
      name, 0, 0,
      fmt::format("unpacks to more than {} bytes: {} MiB and {} times its own size are the most that is taken", most,
                  kUnpackedOfAny >> 20, kUnpackedOfByte));
}

std::uint64_t most_unpacked(std::uint64_t packed_bytes) {
  const std::uint64_t fitting = (kMostUnpackedBytes - kUnpackedOfAny) / kUnpackedOfByte;
  return kUnpackedOfAny + kUnpackedOfByte * std::min(packed_bytes, fitting);
}

std::unique_ptr<ByteStream> unpacked(const TraceFile& file, Packing packing, std::uint64_t most) {
  if (packing == Packing::gzip) return gunzipped(file, most);
  return std::make_unique<UnpackedStream>(file, packing, most);
}

void UnpackRoom::add_source(std::uint64_t bytes) {
  packed_ += bytes;
}

void UnpackRoom::take(ByteStream& from, const std::string& file) {
  const std::uint64_t most = most_unpacked(packed_);
  std::vector<char> chunk(kChunk);
  while (const std::size_t count = from.read(chunk.data(), chunk.size())) {
    unpacked_ += count;
    if (unpacked_ > most) fail_of_size(file, most);
    spool_->append({chunk.data(), count});
  }
}

void UnpackRoom::count_member(const std::string& archive) {
  if (++members_ > kMostTraceFiles)
    throw UnpackBoundError(archive, 0, 0, fmt::format("more than {} files are packed", kMostTraceFiles));
}

std::vector<ArchiveMember> unpack(const TraceFile& file, Packing packing, UnpackRoom& room,
                                  std::vector<FileNote>& notes) {
  try {
    return Unpacking(file, packing, room, notes).members();
  } catch (const Unpacker::Failure& failure) {
    throw InputError(file.name, 0, 0, "cannot be unpacked: " + failure.reason);
  }
}

}  // namespace petri
