#include "harness/import/trace_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/import/folder_files.hpp"
#include "harness/import/natural_order.hpp"
#include "harness/import/unpack.hpp"
#include "harness/trace/digest.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLayers = 4;  // a compressed file in a compressed archive has three

class FileStream : public ByteStream {
 public:
  // Without waiting for a writer, where the file has become a pipe meanwhile.
  explicit FileStream(const fs::path& path)
      : name_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail();
    if (::fstat(descriptor_, &status_) == 0 && S_ISREG(status_.st_mode)) return;
    ::close(descriptor_);
    throw InputError(name_, 0, 0, "is no regular file");
  }
  ~FileStream() override { ::close(descriptor_); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  std::size_t read(char* to, std::size_t most) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, to, most);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail();
    }
  }
  std::optional<std::uint64_t> size() const override { return static_cast<std::uint64_t>(status_.st_size); }
  bool seek(std::uint64_t place) override { return ::lseek(descriptor_, static_cast<off_t>(place), SEEK_SET) >= 0; }

 private:
  [[noreturn]] void fail() const {
    throw InputError(name_, 0, 0, "cannot be read: " + std::generic_category().message(errno));
  }

  std::string name_;
  int descriptor_;
  struct stat status_ = {};
};

// What stands behind the mark that editors and shells put before a text in UTF-8.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class BehindMark : public ByteStream {
 public:
  explicit BehindMark(std::unique_ptr<ByteStream> whole) : whole_(std::move(whole)) {
    char mark[kByteOrderMark.size()];
    for (std::size_t read = 0, count = 1; read < sizeof mark && count > 0; read += count)
      count = whole_->read(mark + read, sizeof mark - read);
  }
  std::size_t read(char* to, std::size_t most) override { return whole_->read(to, most); }
  std::optional<std::uint64_t> size() const override {
    const auto all = whole_->size();
    return all ? std::optional(*all - std::min<std::uint64_t>(*all, kByteOrderMark.size())) : std::nullopt;
  }
  bool seek(std::uint64_t place) override { return whole_->seek(place + kByteOrderMark.size()); }

 private:
  std::unique_ptr<ByteStream> whole_;
};

std::string head_of(ByteStream& stream) {
  std::string head(kHeadBytes, '\0');
  std::size_t filled = 0;
  while (filled < head.size()) {
    const std::size_t count = stream.read(head.data() + filled, head.size() - filled);
    if (count == 0) break;
    filled += count;
  }
  head.resize(filled);
  return head;
}

std::string without_compression(std::string leaf) {
  for (const std::string_view suffix : {".gz", ".zst", ".xz", ".bz2", ".lz4"})
    if (leaf.size() > suffix.size() && leaf.ends_with(suffix)) return leaf.substr(0, leaf.size() - suffix.size());
  return leaf;
}

// What an error says behind the name of its file.
std::string reason_of(const InputError& error) {
  const std::string_view text = error.what();
  const std::string begin = printable_line(error.file()) + ": ";
  return std::string(text.starts_with(begin) ? text.substr(begin.size()) : text);
}

std::string leaf_of(const std::string& name) {
  return fs::path(name).filename().string();
}

// False for a file that is known already, by whatever name.
bool is_new(const fs::path& file, std::set<fs::path>& known) {
  std::error_code ignored;
  return known.insert(fs::weakly_canonical(file, ignored)).second;
}

// Files of one or several sources, unpacked.
class Gathering {
 public:
  explicit Gathering(std::vector<FileNote>& notes) : notes_(notes) {}

  // Takes what is in a file of the file system. One that lies among others and is broken is no trace.
  void add(const fs::path& path, bool alone) {
    const auto open = [path]() -> std::unique_ptr<ByteStream> { return std::make_unique<FileStream>(path); };
    const std::size_t before = files_.size();
    add_source({path.string(), leaf_of(path.string()), {}, {}, open}, alone);
    if (files_.size() == before) return;
    if (TraceFile& last = files_.back(); last.name == path.string() && last.leaf == leaf_of(last.name))
      last.path = path;
  }

  void add(const std::string& name, const std::shared_ptr<const Spool>& bytes, bool alone) {
    add_source({name, {}, {}, {}, [bytes] { return stream_of(bytes, 0, bytes->size()); }}, alone);
  }

  std::vector<TraceFile> files() { return std::move(files_); }

 private:
  void add_source(TraceFile source, bool alone) {
    const std::size_t before = files_.size();
    source_bytes_ = 0;
    in_room_ = false;
    try {
      add(std::move(source), 0);
    } catch (const InputError& error) {
      if (alone) throw;
      leave_out(error, before);
    }
  }

  // Takes a file as it is, or what is packed in it.
  void add(TraceFile file, int layer) {
    {
      const std::unique_ptr<ByteStream> stream = file.open();
      file.head = head_of(*stream);
      if (layer == 0) source_bytes_ = stream->size().value_or(0);
    }
    const Packing packing = packing_of(file.head);
    if (packing == Packing::none) return keep(std::move(file));
    if (layer == kMostLayers) throw InputError(file.name, 0, 0, fmt::format("packed more than {} times", kMostLayers));
    if (is_archive(packing)) return add_members(file, packing, layer);
    if (file.broken_off == nullptr) file.broken_off = std::make_shared<std::atomic<bool>>(false);
    TraceFile inner{file.name, without_compression(file.leaf), {}, {}, {}, file.broken_off};
    inner.open = [packed = std::move(file), packing, most = most_unpacked(source_bytes_)] {
      return unpacked(packed, packing, most);
    };
    add(std::move(inner), layer + 1);
  }

  void add_members(const TraceFile& archive, Packing packing, int layer) {
    if (!std::exchange(in_room_, true)) room_.add_source(source_bytes_);
    std::vector<ArchiveMember> members = unpack(archive, packing, room_, notes_);
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
    for (const ArchiveMember& member : members) {
      const std::size_t before = files_.size();
      try {
        add({archive.name + "/" + member.name,
             leaf_of(member.name),
             {},
             {},
             [spool = room_.spool(), member] { return stream_of(spool, member.begin, member.end); }},
            layer + 1);
      } catch (const UnpackBoundError&) {
        throw;
      } catch (const InputError& error) {
        leave_out(error, before);
      }
    }
  }

  // One broken file among others is no trace.
  void leave_out(const InputError& error, std::size_t before) {
    files_.resize(before);
    notes_.push_back({error.file(), reason_of(error) + " (left out)"});
  }

  void keep(TraceFile file) {
    if (files_.size() >= kMostTraceFiles)
      throw InputError(file.name, 0, 0, fmt::format("more than {} files are there", kMostTraceFiles));
    if (file.head.starts_with(kByteOrderMark)) {
      file.head.erase(0, kByteOrderMark.size());
      file.open = [whole = std::move(file.open)] { return std::make_unique<BehindMark>(whole()); };
    }
    files_.push_back(std::move(file));
  }

  std::vector<FileNote>& notes_;
  std::vector<TraceFile> files_;
  UnpackRoom room_;
  std::uint64_t source_bytes_ = 0;  // of the file of the file system that is being taken
  bool in_room_ = false;            // they count for what archives in it may bring
};

}  // namespace

std::vector<TraceFile> trace_files(const std::vector<TraceSource>& sources, std::vector<FileNote>& notes) {
  Gathering gathering(notes);
  std::set<fs::path> known;  // where several sources may have files in common
  for (const auto& [source, bytes] : sources) {
    const bool alone = sources.size() == 1;
    if (bytes != nullptr) {
      gathering.add(source.string(), bytes, alone);
      continue;
    }
    std::error_code error;
    const fs::file_status status = fs::status(source, error);
    if (!fs::exists(status))
      throw InputError(source.string(), 0, 0, error ? "cannot be read: " + error.message() : "no such file or folder");
    if (!fs::is_directory(status) && (alone || is_new(source, known))) gathering.add(source, alone);
    if (!fs::is_directory(status)) continue;
    for (const fs::path& path : files_in_folder(source, notes))
      if (alone || is_new(path, known)) gathering.add(path, false);
  }
  return gathering.files();
}

std::string read_whole(const TraceFile& file, std::uint64_t most) {
  const std::unique_ptr<ByteStream> stream = file.open();
  std::string bytes;
  std::error_code none;
  const std::uint64_t known = file.path.empty() ? 0 : fs::file_size(file.path, none);
  std::size_t room = std::max<std::size_t>(none || known > most ? 0 : known + 1, kHeadBytes);
  for (;;) {
    const std::size_t filled = bytes.size();
    bytes.resize(filled + room);
    const std::size_t count = stream->read(bytes.data() + filled, room);
    bytes.resize(filled + count);
    if (count == 0) return bytes;
    if (bytes.size() > most)
      throw InputError(file.name, 0, 0, fmt::format("larger than the {} bytes that are read of such a file", most));
    room = std::max<std::size_t>(kHeadBytes, count < room ? room - count : bytes.size());
  }
}

std::string digest_of_files(const std::vector<TraceFile>& files) {
  Digest digest;
  std::vector<char> chunk(std::size_t{1} << 18);
  for (const TraceFile& file : files) {
    digest.add(file.leaf);
    digest.add(std::string_view("\0", 1));
    try {
      const std::unique_ptr<ByteStream> stream = file.open();
      while (const std::size_t count = stream->read(chunk.data(), chunk.size())) digest.add({chunk.data(), count});
    } catch (const InputError& error) {  // it breaks off there for every reader
      digest.add(reason_of(error));
    }
  }
  return digest.text();
}

}  // namespace petri
