#include "harness/launch/guardian.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

#include "harness/launch/guard_loop.hpp"
#include "harness/launch/process_tree.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

constexpr double kEndLimit_s = 10;  // to give up on a process that even SIGKILL does not end (stuck in the kernel)

// Reads one message of the guardian; false when it is gone.
bool receive(int socket, GuardMessage& message) {
  ssize_t got = 0;
  do {
    got = recv(socket, &message, sizeof message, 0);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof message);
}

}  // namespace

Guardian::Guardian(const GuardedCommand& command, std::filesystem::path folder) : folder_(std::move(folder)) {
  adopt_orphans();
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  // All memory that the job's start needs is taken before the fork: threads of petri may hold locks during it.
  const PreparedCommand prepared(command, folder_);
  pid_ = fork();
  if (pid_ == 0) run_guard_loop(prepared, folder_, pair[1]);
  const int fork_error = errno;
  close(pair[1]);
  socket_ = pair[0];
  if (pid_ < 0) {
    close(socket_);
    throw std::system_error(fork_error, std::generic_category(), "fork");
  }

  GuardMessage first{};
  const auto refuse = [&](bool answered, const std::string& what) {
    clean_up_after_guardian();
    throw EnvironmentError(what + ": " + (answered ? std::strerror(first.value) : "its guardian was killed"));
  };
  if (!receive(socket_, first)) refuse(false, "cannot start " + command.arguments.front());
  if (first.value != 0) refuse(true, "cannot make the folder " + folder_.string());
  try {
    if (command.prepare) command.prepare();
  } catch (...) {
    clean_up_after_guardian();
    throw;
  }
  send(socket_, &kGo, sizeof kGo, MSG_NOSIGNAL);
  const bool answered = receive(socket_, first);
  if (!answered || first.kind != GuardMessage::started) refuse(answered, "cannot start " + command.arguments.front());
}

Guardian::~Guardian() {
  clean_up_after_guardian();
}

std::optional<CommandEnd> Guardian::ended(int wait_ms) {
  if (end_) return end_;
  pollfd ready{socket_, POLLIN, 0};
  if (poll(&ready, 1, wait_ms) <= 0) return std::nullopt;
  GuardMessage message{};
  if (!receive(socket_, message)) {
    clean_up_after_guardian();
    end_ = CommandEnd{0, SIGKILL};
  } else {
    end_ = message.kind == GuardMessage::signaled ? CommandEnd{0, message.value} : CommandEnd{message.value, 0};
  }
  return end_;
}

void Guardian::stop(double grace_s) {
  if (socket_ >= 0) send(socket_, &grace_s, sizeof grace_s, MSG_NOSIGNAL);
}

void Guardian::clean_up_after_guardian() {
  if (socket_ < 0) return;
  close(socket_);
  socket_ = -1;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  // The guardian was killed: its tree has fallen to this process. The mark in the environment tells it from other
  // jobs'.
  std::set<pid_t> ours;
  const auto is_ours = [&](pid_t process) {
    const bool marked = started_with(process, kRunVariable, folder_.string());
    if (marked) ours.insert(process);
    return marked;
  };
  end_descendants(is_ours, kEndLimit_s);
  for (const pid_t process : ours) waitpid(process, nullptr, WNOHANG);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace petri
