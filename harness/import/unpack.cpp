#include "harness/import/unpack.hpp"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "harness/import/gunzip.hpp"
#include "harness/import/unpacker.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

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

std::unique_ptr<ByteStream> unpacked(const TraceFile& file, Packing packing, std::uint64_t most) {
  if (packing == Packing::gzip) return gunzipped(file, most);
  return std::make_unique<UnpackedStream>(file, packing, most);
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
