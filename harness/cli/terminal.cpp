#include "harness/cli/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include "harness/trace/printable.hpp"

namespace petri::cli {
namespace {

constexpr std::size_t kDefaultWidth = 100;
constexpr long kMostColumns = 10000;

}  // namespace

bool stdout_takes_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return ::isatty(STDOUT_FILENO) == 1;
}

std::size_t width_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* const columns = std::getenv("COLUMNS")) {
    const long width = std::strtol(columns, nullptr, 10);
    if (width > 0 && width <= kMostColumns) return static_cast<std::size_t>(width);
  }
  return kDefaultWidth;
}

std::size_t stdout_width() {
  return width_of(STDOUT_FILENO);
}

bool rewrites_lines(int descriptor) {
  const char* const term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (term == nullptr || std::string_view(term) != "dumb");
}

void say_text(std::FILE* to, std::string_view text) {
  const std::string safe = printable(text);
  std::fwrite(safe.data(), 1, safe.size(), to);
}

void keep_standard_streams_apart() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one. Opened for the wrong direction, so that its use is still an error.
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

std::string loss_on_stdout() {
  const bool failed_before = std::ferror(stdout) != 0 || !std::cout;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return {};
  const int error = errno;
  pollfd reader{STDOUT_FILENO, 0, 0};  // the reason of an earlier failure is not kept
  if (error == EPIPE || (::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0)) return {};
  return error != 0 ? std::strerror(error) : "a part of it is lost";
}

}  // namespace petri::cli
