#include "harness/launch/guardian.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <system_error>

#include "harness/launch/guard_protocol.hpp"
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

// $PETRI_GUARDIAN, or beside the running program.
std::filesystem::path guardian_program() {
  if (const char* chosen = std::getenv("PETRI_GUARDIAN"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "petri-guardian";
}

std::vector<std::string> guardian_arguments(const std::filesystem::path& program, const GuardedCommand& command,
                                            const std::filesystem::path& folder) {
  // In the order of GuardianArgument.
  std::vector<std::string> arguments{program.string(), folder.string(), command.output.string(),
                                     command.working_folder.string(), command.inherit_stdin ? kOwnInput : kNoInput};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  return arguments;
}

std::vector<std::string> guardian_environment(const GuardedCommand& command) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  for (const auto& [name, value] : command.environment) environment.push_back(kCommandVariable + name + "=" + value);
  return environment;
}

// As execve wants it; points into `words`.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the guardian's program in a session of its own (a Ctrl-C on the terminal is for petri, which tells it), deaf
// to signals until it has chosen which to hear. Returns its pid. Other threads of petri may hold locks at this moment:
// posix_spawn takes none of them along.
pid_t spawn_guardian(const GuardedCommand& command, const std::filesystem::path& folder, int socket) {
  const std::filesystem::path program = guardian_program();
  std::vector<std::string> arguments = guardian_arguments(program, command, folder);
  std::vector<std::string> environment = guardian_environment(command);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, kGuardSocket);

  pid_t guardian = -1;
  const int error = posix_spawn(&guardian, program.c_str(), &actions, &attributes, pointers_to(arguments).data(),
                                pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return guardian;
  throw EnvironmentError("cannot start " + command.arguments.front() + " under guard: " + program.string() + ": " +
                         std::strerror(error) + "; petri-guardian belongs beside petri, or name it in PETRI_GUARDIAN");
}

}  // namespace

Guardian::Guardian(const GuardedCommand& command, std::filesystem::path folder) : folder_(std::move(folder)) {
  adopt_orphans();
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  socket_ = pair[0];
  try {
    pid_ = spawn_guardian(command, folder_, pair[1]);
  } catch (...) {
    close(pair[0]);
    close(pair[1]);
    throw;
  }
  close(pair[1]);

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
