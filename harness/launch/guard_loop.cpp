#include "harness/launch/guard_loop.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/launch/guard_protocol.hpp"
#include "harness/launch/process_tree.hpp"

namespace petri {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kOrphanedGrace_s = 2;  // for the launcher to clean up when petri is gone
constexpr double kEndLimit_s = 10;
// Open MPI 4.1's mpirun now and then misses that its ranks have aborted: they stay unreaped, and it waits for ever. One
// in forty did, on a busy machine.
constexpr int kLook_ms = 1000;
constexpr std::chrono::seconds kDeafAfter{5}, kKilledAfter{8};

bool is_launcher(const std::string& program) {
  for (const char* known : {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "prte"})
    if (program.starts_with(known)) return true;
  return false;
}

// Orphans are adopted: a guardian without children has nothing below it. Mostly so, and cheaper to ask than /proc.
bool is_childless() {
  siginfo_t ignored{};
  return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

void end_all() {
  if (!is_childless()) end_descendants([](pid_t) { return true; }, kEndLimit_s);
}

// Turns the calling process into the command; returns errno when that fails.
int become(const GuardedCommand& command, const std::filesystem::path& folder) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGXFSZ}) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!command.inherit_stdin) {
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  }
  if (!command.output.empty()) {
    const int file = open(command.output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0) return errno;
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
  }
  if (!command.working_folder.empty() && chdir(command.working_folder.c_str()) != 0) return errno;
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  setenv(kRunVariable, folder.c_str(), 1);
  std::vector<std::string> words = command.arguments;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  execvp(arguments[0], arguments.data());
  return errno;
}

// Starts the command as the guardian's child; a pipe that closes on exec brings back why it could not. Returns its pid,
// or -1 with errno set.
pid_t start(const GuardedCommand& command, const std::filesystem::path& folder) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // the launcher cleans up even when the guardian is killed
    const int error = become(command, folder);
    if (write(report[1], &error, sizeof error) < 0) _exit(127);
    _exit(127);
  }
  close(report[1]);
  int error = 0;
  const bool failed = child > 0 && read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);
  if (!failed) return child;
  waitpid(child, nullptr, 0);
  errno = error;
  return -1;
}

// Made here, by a process that no signal to petri's group reaches, and that removes it when petri is gone.
int make_folder(const std::filesystem::path& folder) {
  return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

// False when petri is gone, or has thought better of it.
bool told_to_start(int socket) {
  char word = 0;
  ssize_t got = 0;
  do {
    got = recv(socket, &word, sizeof word, 0);
  } while (got < 0 && errno == EINTR);
  return got == sizeof word && word == kGo;
}

class GuardLoop {
 public:
  GuardLoop(int socket, int signals, pid_t job) : socket_(socket), signals_(signals), job_(job) {}

  // Until petri lets go.
  void run() {
    while (!released_) {
      pollfd ready[2] = {{socket_, POLLIN, 0}, {signals_, POLLIN, 0}};
      poll(ready, 2, kill_at_ ? 20 : job_ended_ ? -1 : kLook_ms);
      if (ready[1].revents != 0) read_signals();
      if (ready[0].revents != 0) read_request();
      reap();
      if (kill_at_ && Clock::now() >= *kill_at_) end_all();
      if (!job_ended_ && !kill_at_) end_deaf_launchers();
    }
    end_everything();
  }

 private:
  void read_signals() {
    signalfd_siginfo got{};
    while (read(signals_, &got, sizeof got) == sizeof got) {
      if (got.ssi_signo == SIGTERM) released_ = true;
    }
  }

  void read_request() {
    double grace_s = 0;
    if (recv(socket_, &grace_s, sizeof grace_s, 0) == sizeof grace_s) {
      ask_to_end(grace_s);
    } else {
      released_ = true;
    }
  }

  void ask_to_end(double grace_s) {
    if (!job_ended_ && grace_s > 0) kill(job_, SIGTERM);
    kill_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(grace_s));
  }

  void reap() {
    int status = 0;
    for (pid_t gone = 0; (gone = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (gone != job_) continue;
      job_ended_ = true;
      if (kill_at_) let_the_rest_end();
      // What the command left running ends with it, and only then is the recording final.
      end_all();
      const GuardMessage message = WIFSIGNALED(status) ? GuardMessage{GuardMessage::signaled, WTERMSIG(status)}
                                                       : GuardMessage{GuardMessage::exited, WEXITSTATUS(status)};
      send(socket_, &message, sizeof message, MSG_NOSIGNAL);
    }
  }

  // Launchers whose ranks are all gone, and that have not noticed for some seconds.
  void end_deaf_launchers() {
    const auto now = Clock::now();
    if (now < next_look_) return;
    next_look_ = now + std::chrono::milliseconds(kLook_ms);
    std::map<pid_t, Clock::time_point> deaf;
    for (const auto& [process, program] : parents_of_the_gone(getpid())) {
      if (!is_launcher(program)) continue;
      const auto since = deaf_since_.try_emplace(process, now).first->second;
      if (now - since >= kDeafAfter) kill(process, now - since >= kKilledAfter ? SIGKILL : SIGTERM);
      deaf.emplace(process, since);
    }
    deaf_since_ = std::move(deaf);
  }

  // A command that was asked to end and did so may be a script, whose launcher has not heard of it yet.
  void let_the_rest_end() {
    for (const pid_t process : descendants_of(getpid())) kill(process, SIGTERM);
    while (Clock::now() < *kill_at_ && !is_childless()) {
      pollfd ready[2] = {{released_ ? -1 : socket_, POLLIN, 0}, {signals_, POLLIN, 0}};
      poll(ready, 2, 20);
      read_signals();
      if (ready[0].revents != 0) read_request();
      while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    }
  }

  void end_everything() {
    if (!job_ended_) {
      ask_to_end(kOrphanedGrace_s);
      while (!job_ended_ && Clock::now() < *kill_at_) {
        pollfd ready{signals_, POLLIN, 0};
        poll(&ready, 1, 20);
        read_signals();
        reap();
      }
    }
    end_all();
  }

  int socket_, signals_;
  pid_t job_;
  bool job_ended_ = false, released_ = false;
  std::optional<Clock::time_point> kill_at_;
  Clock::time_point next_look_ = {};
  std::map<pid_t, Clock::time_point> deaf_since_;
};

}  // namespace

void run_guard_loop(const GuardedCommand& command, const std::filesystem::path& folder) {
  adopt_orphans();
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  fcntl(kGuardSocket, F_SETFD, FD_CLOEXEC);
  close_range(kGuardSocket + 1, ~0U, 0);  // what somebody left open across petri's start

  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  sigprocmask(SIG_SETMASK, &watched, nullptr);
  const int signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);

  const GuardMessage folder_made{GuardMessage::folder_made, make_folder(folder)};
  send(kGuardSocket, &folder_made, sizeof folder_made, MSG_NOSIGNAL);
  if (folder_made.value == 0 && told_to_start(kGuardSocket)) {
    const pid_t job = start(command, folder);
    const GuardMessage first =
        job > 0 ? GuardMessage{GuardMessage::started, 0} : GuardMessage{GuardMessage::start_failed, errno};
    send(kGuardSocket, &first, sizeof first, MSG_NOSIGNAL);
    if (job > 0) GuardLoop(kGuardSocket, signals, job).run();
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace petri
