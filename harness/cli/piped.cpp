#include "harness/cli/piped.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "harness/cli/input.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/import/trace_files.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"

namespace petri::cli {
namespace {

constexpr std::size_t kChunk = 1 << 16;

// A named pipe that nobody writes to yet is opened all the same, so that who waits for its first byte is not silent.
int opened(const std::string& source, const std::string& name) {
  constexpr int kPatienceMs = 1000;
  const int descriptor = ::open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return descriptor;
  pollfd written{descriptor, POLLIN, 0};
  if (::poll(&written, 1, kPatienceMs) == 0) {
    say(stderr, "petri: {} is a pipe to which nothing has been written: waiting for it\n", printable_line(name));
    while (::poll(&written, 1, -1) < 0 && errno == EINTR) {
    }
  }
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0) ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  return descriptor;
}

}  // namespace

class PipedStream : public std::streambuf {
 public:
  explicit PipedStream(Piped& piped) : piped_(piped) {}

 protected:
  int_type underflow() override {
    std::size_t count = piped_.kept_->read(at_, chunk_.data(), chunk_.size());
    at_ += count;
    if (count == 0) count = piped_.read(chunk_.data(), chunk_.size());
    if (count == 0) return traits_type::eof();  // what was taken before can still be put back
    setg(chunk_.data(), chunk_.data(), chunk_.data() + count);
    return traits_type::to_int_type(chunk_.front());
  }

 private:
  Piped& piped_;
  std::uint64_t at_ = 0;  // in what is kept
  std::vector<char> chunk_ = std::vector<char>(kChunk);
};

// Standard input not by /dev/stdin: a socket cannot be opened anew.
Piped::Piped(const std::string& source)
    : name_(is_stdin(source) ? "standard input" : source),
      descriptor_(is_stdin(source) ? STDIN_FILENO : opened(source, name_)) {
  if (descriptor_ < 0) throw InputError(name_, 0, 0, "cannot be read: " + std::generic_category().message(errno));
}

Piped::~Piped() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::size_t Piped::read(char* to, std::size_t most) {
  for (;;) {
    const ssize_t count = ended_ ? 0 : ::read(descriptor_, to, most);
    if (count == 0) ended_ = true;
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw InputError(name_, 0, 0, "cannot be read: " + std::generic_category().message(errno));
  }
}

void Piped::keep(std::uint64_t most) {
  std::vector<char> chunk(kChunk);
  while (kept_->size() < most) {
    const std::size_t count = read(chunk.data(), chunk.size());
    if (count == 0) return;
    kept_->append({chunk.data(), count});
  }
}

std::string Piped::head() const {
  std::string head(kHeadBytes, '\0');
  head.resize(kept_->read(0, head.data(), head.size()));
  return head;
}

std::unique_ptr<std::streambuf> Piped::stream() {
  return std::make_unique<PipedStream>(*this);
}

}  // namespace petri::cli
