#include "harness/import/trace_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

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
  explicit FileStream(const fs::path& path)
      : name_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail();
  }
  ~FileStream() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  std::size_t read(char* to, std::size_t most) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, to, most);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail();
    }
  }

 private:
  [[noreturn]] void fail() const { throw InputError(name_, 0, 0, std::generic_category().message(errno)); }

  std::string name_;
  int descriptor_;
};

std::vector<fs::path> files_below(const fs::path& source) {
  std::error_code error;
  const fs::file_status status = fs::status(source, error);
  if (!fs::exists(status)) throw InputError(source.string(), 0, 0, "no such file or folder");
  if (!fs::is_directory(status)) return {source};
  std::vector<fs::path> files;
  fs::recursive_directory_iterator walk(source, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    std::error_code ignored;
    if (walk->path().filename().string().starts_with('.')) {
      walk.disable_recursion_pending();
    } else if (walk->is_regular_file(ignored)) {
      files.push_back(walk->path());
      if (files.size() > kMostTraceFiles)
        throw InputError(source.string(), 0, 0, fmt::format("more than {} files are there", kMostTraceFiles));
    }
  }
  if (error) throw InputError(source.string(), 0, 0, error.message());
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return natural_less(a.string(), b.string()); });
  return files;
}

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

// Takes a file as it is, or what is packed in it.
void add(TraceFile file, int layer, std::vector<TraceFile>& files) {
  file.head = head_of(*file.open());
  if (!is_packed(file.head)) {
    if (files.size() >= kMostTraceFiles)
      throw InputError(file.name, 0, 0, fmt::format("more than {} files are there", kMostTraceFiles));
    files.push_back(std::move(file));
    return;
  }
  if (layer == kMostLayers) throw InputError(file.name, 0, 0, fmt::format("packed more than {} times", kMostLayers));
  if (!is_archive(file)) {
    TraceFile inner{file.name, without_compression(file.leaf), {}, {}, [packed = file] { return unpacked(packed); }};
    return add(std::move(inner), layer + 1, files);
  }
  std::vector<ArchiveMember> members = unpack(file);
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
  for (ArchiveMember& member : members)
    add({file.name + "/" + member.name, leaf_of(member.name), {}, {}, std::move(member.open)}, layer + 1, files);
}

// Takes what is in a file of the file system. One that lies among others and is broken is no trace.
void add_source(const fs::path& path, bool alone, std::vector<TraceFile>& files, std::vector<LeftOut>& left_out) {
  const auto open = [path]() -> std::unique_ptr<ByteStream> { return std::make_unique<FileStream>(path); };
  const std::size_t before = files.size();
  try {
    add({path.string(), leaf_of(path.string()), {}, {}, open}, 0, files);
  } catch (const InputError& error) {
    if (alone) throw;
    files.resize(before);
    left_out.push_back({error.file(), reason_of(error)});
    return;
  }
  if (files.size() == before) return;
  if (TraceFile& last = files.back(); last.name == path.string() && last.leaf == leaf_of(last.name)) last.path = path;
}

}  // namespace

std::vector<TraceFile> trace_files(const std::vector<fs::path>& sources, std::vector<LeftOut>& left_out) {
  std::vector<TraceFile> files;
  std::set<fs::path> known;  // where several sources may have files in common
  for (const fs::path& source : sources) {
    for (const fs::path& path : files_below(source)) {
      if (std::error_code error; sources.size() > 1 && !known.insert(fs::weakly_canonical(path, error)).second)
        continue;
      const bool alone = sources.size() == 1 && path == source;
      add_source(path, alone, files, left_out);
    }
  }
  return files;
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
