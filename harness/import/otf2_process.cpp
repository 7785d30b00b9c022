#include "harness/import/otf2_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/import/otf2_library.hpp"
#include "harness/trace/sanitized.hpp"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPipeBytes = 1 << 20;
constexpr rlim_t kMostMemory = rlim_t{4} << 30;  // of the reading process, beyond what petri has
constexpr int kMostSilenceMs = 120000;           // longer than any file system takes for a megabyte

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void copy(const TraceFile& file, const fs::path& to) {
  const int descriptor = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) fail("cannot unpack into a temporary folder");
  const std::unique_ptr<ByteStream> stream = file.open();
  std::vector<char> chunk(1 << 18);
  while (const std::size_t count = stream->read(chunk.data(), chunk.size())) {
    for (std::size_t done = 0; done < count;) {
      const ssize_t written = ::write(descriptor, chunk.data() + done, count - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        const int error = errno;
        ::close(descriptor);
        throw std::system_error(error, std::generic_category(), "cannot unpack into a temporary folder");
      }
      done += static_cast<std::size_t>(written);
    }
  }
  ::close(descriptor);
}

// The writing end of the pipe, in the reading process.
class RecordPipe {
 public:
  explicit RecordPipe(int descriptor) : descriptor_(descriptor) { buffer_.reserve(kPipeBytes + sizeof(Otf2Record)); }

  bool put(const Otf2Record& record, const void* payload) {
    append(&record, sizeof record);
    if (record.payload > 0) append(payload, record.payload);
    return buffer_.size() < kPipeBytes || flush();
  }

  // False: nobody reads any more.
  bool flush() {
    for (std::size_t done = 0; done < buffer_.size();) {
      const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      done += static_cast<std::size_t>(count);
    }
    buffer_.clear();
    return true;
  }

 private:
  void append(const void* bytes, std::size_t count) {
    const char* from = static_cast<const char*>(bytes);
    buffer_.insert(buffer_.end(), from, from + count);
  }

  int descriptor_;
  std::vector<char> buffer_;
};

// Where the library crashes, what it has read so far is still told. Only this process's crash handler uses it.
RecordPipe* pipe_of_a_crash = nullptr;

void tell_and_die(int number) {
  std::signal(number, SIG_DFL);
  if (RecordPipe* const pipe = std::exchange(pipe_of_a_crash, nullptr)) pipe->flush();
  ::raise(number);
}

// Signals meant for the user's command must not end the process that may have to clean up behind it.
void become_reader() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(number, SIG_IGN);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(number, tell_and_die);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
#if !defined(PETRI_SANITIZED)
  std::ifstream pages("/proc/self/statm");
  rlim_t taken = 0;
  pages >> taken;
  const rlim_t most = kMostMemory + taken * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit memory{most, most};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
}

[[noreturn]] void read_and_exit(Otf2Place& place, std::uint64_t first, int descriptor) {
  RecordPipe pipe(descriptor);
  pipe_of_a_crash = &pipe;
  become_reader();
  const auto sink = [&](const Otf2Record& record, const void* payload) { return pipe.put(record, payload); };
  try {
    read_otf2_archive(place.fill(), first, sink);
    pipe.put({.kind = Otf2Kind::archive_end}, nullptr);
  } catch (const std::exception& error) {
    const std::string_view reason = error.what();
    pipe.put({.kind = Otf2Kind::failed, .payload = static_cast<std::uint32_t>(reason.size())}, reason.data());
  }
  pipe.flush();
  place.remove();  // also where nobody is there any more who would
  ::_exit(0);
}

std::string text_of_end(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return "the OTF2 library did not get on with it";
  if (WIFSIGNALED(status)) return fmt::format("the OTF2 library crashed on it ({})", ::strsignal(WTERMSIG(status)));
  return fmt::format("the OTF2 library gave it up (exit status {})", WEXITSTATUS(status));
}

}  // namespace

Otf2Place::Otf2Place(const TraceFile& anchor, const std::vector<const TraceFile*>& members)
    : anchor_(anchor), members_(members) {
  if (!anchor.path.empty()) return;
  std::string name = (fs::temp_directory_path() / "petri-otf2-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail("cannot make a temporary folder");
  folder_ = name;
}

Otf2Place::~Otf2Place() {
  remove();
}

void Otf2Place::remove() const {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

// The names that the library looks for follow from the anchor's: of what it is called, nothing but the leaves of names
// inside the temporary folder is used.
std::string Otf2Place::fill() {
  if (folder_.empty()) return anchor_.path.string();
  const std::string stem = fs::path(anchor_.leaf).stem().string();
  const fs::path events = folder_ / stem;
  const fs::path anchor = folder_ / (stem + ".otf2");
  std::error_code error;
  if (fs::exists(anchor, error)) return anchor.string();  // a process before this one has done it
  if (stem.empty() || stem == "." || stem == "..") throw std::runtime_error("its anchor file has no name");
  fs::create_directory(events, error);
  if (error) throw std::system_error(error, "cannot unpack into a temporary folder");
  for (const TraceFile* member : members_) {
    const fs::path leaf = fs::path(member->leaf).filename();
    const bool is_global = leaf.stem() == stem;
    if (leaf.empty() || leaf == "." || leaf == "..") continue;
    copy(*member, is_global ? folder_ / leaf : events / leaf);
  }
  copy(anchor_, anchor);
  return anchor.string();
}

Otf2Process::Otf2Process(Otf2Place& place, std::uint64_t first) : buffer_(kPipeBytes) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe");
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    read_and_exit(place, first, ends[1]);
  }
  const int error = errno;
  ::close(ends[1]);
  pipe_ = ends[0];
  if (process_ < 0) {
    ::close(pipe_);
    throw std::system_error(error, std::generic_category(), "cannot start a process that reads the archive");
  }
}

Otf2Process::~Otf2Process() {
  ::close(pipe_);
  if (process_ < 0) return;
  if (!ended_) ::kill(process_, SIGKILL);  // one that has told all is about to clean up
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

bool Otf2Process::read(void* to, std::size_t bytes) {
  char* place = static_cast<char*>(to);
  while (bytes > 0) {
    if (begin_ == end_) {
      pollfd waiting{pipe_, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, kMostSilenceMs);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) ::kill(process_, SIGKILL);  // it goes round in circles
      const ssize_t count = ::read(pipe_, buffer_.data(), buffer_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      begin_ = 0;
      end_ = static_cast<std::size_t>(count);
    }
    const std::size_t part = std::min(bytes, end_ - begin_);
    std::memcpy(place, buffer_.data() + begin_, part);
    begin_ += part;
    place += part;
    bytes -= part;
  }
  return true;
}

void Otf2Process::next(Otf2Record& record, std::string& payload) {
  payload.clear();
  if (!crashed_ && read(&record, sizeof record) && record.payload <= kOtf2MostPayload) {
    payload.resize(record.payload);
    ended_ = record.kind == Otf2Kind::archive_end || record.kind == Otf2Kind::failed;
    if (read(payload.data(), payload.size())) return;
  }
  record = {.kind = Otf2Kind::failed};
  int status = 0;
  if (process_ > 0 && !crashed_) {
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
  }
  crashed_ = true;
  payload = text_of_end(status);
}

}  // namespace petri
