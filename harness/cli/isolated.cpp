#include "harness/cli/isolated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "harness/launch/interrupt.hpp"
#include "harness/launch/process_tree.hpp"

namespace petri::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLook_ms = 20;
constexpr double kCleanUp_s = 15;  // for guardians of killed tasks to end what they guard

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void be_task(const std::function<std::string()>& task, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);  // a Ctrl-C on the terminal is for the caller, who ends the tasks
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  const std::string text = task();
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t got = write(pipe, text.data() + written, text.size() - written);
    if (got < 0 && errno != EINTR) _exit(1);
    if (got > 0) written += static_cast<std::size_t>(got);
  }
  std::fflush(nullptr);
  _exit(0);
}

struct Running {
  std::size_t task;
  int pipe;
  Clock::time_point start;
  std::string text;
  bool killed = false;
};

class Runner {
 public:
  Runner(const std::vector<std::function<std::string()>>& tasks, const std::function<double(std::size_t)>& limit_s,
         const std::function<void(std::size_t, const TaskEnd&)>& ended)
      : tasks_(tasks), limit_s_(limit_s), ended_(ended), ends_(tasks.size()) {
    adopt_orphans();  // guardians of killed tasks fall to this process, which waits for them
  }

  std::vector<TaskEnd> run(std::size_t jobs) {
    std::size_t next = 0;
    while (next < tasks_.size() || !running_.empty()) {
      if (interrupt_count() > 0) next = skip_from(next);
      while (running_.size() < jobs && next < tasks_.size()) start(next++);
      look();
    }
    wait_for_guardians();
    std::vector<TaskEnd> ends;
    for (std::optional<TaskEnd>& end : ends_) ends.push_back(std::move(*end));
    return ends;
  }

 private:
  void start(std::size_t task) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
    fcntl(ends[1], F_SETFL, 0);
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process == 0) {
      close(ends[0]);
      be_task(tasks_[task], ends[1]);
    }
    const int error = errno;
    close(ends[1]);
    if (process < 0) {
      close(ends[0]);
      throw std::system_error(error, std::generic_category(), "fork");
    }
    running_.emplace(process, Running{task, ends[0], Clock::now(), {}});
  }

  std::size_t skip_from(std::size_t next) {
    for (auto& [process, running] : running_) stop(process, running);
    for (; next < tasks_.size(); ++next) finish(next, {TaskEnd::Kind::interrupted, {}, 0});
    return next;
  }

  static void stop(pid_t process, Running& running) {
    if (!running.killed) kill(process, SIGKILL);
    running.killed = true;
  }

  void look() {
    std::vector<pollfd> ready;
    for (auto& [process, running] : running_) ready.push_back({running.pipe, POLLIN, 0});
    poll(ready.data(), ready.size(), kLook_ms);
    for (auto& [process, running] : running_) {
      drain(running);
      if (seconds_since(running.start) >= limit_s_(running.task)) stop(process, running);
    }
    int status = 0;
    for (pid_t gone = 0; (gone = waitpid(-1, &status, WNOHANG)) > 0;) reap(gone, status);
  }

  static void drain(Running& running) {
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = read(running.pipe, buffer.data(), buffer.size())) > 0;) {
      running.text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  void reap(pid_t process, int status) {
    const auto found = running_.find(process);
    if (found == running_.end()) return;  // a guardian
    Running& running = found->second;
    drain(running);
    close(running.pipe);
    TaskEnd end{TaskEnd::Kind::done, std::move(running.text), seconds_since(running.start)};
    // A task of which a terminal's signal got hold before it had a process group of its own was interrupted, too.
    if (running.killed || (interrupt_count() > 0 && WIFSIGNALED(status) && WTERMSIG(status) == interrupt_signal())) {
      end.kind = interrupt_count() > 0 ? TaskEnd::Kind::interrupted : TaskEnd::Kind::timed_out;
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      end.kind = TaskEnd::Kind::crashed;
      end.text = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                     : fmt::format("exit status {}", WEXITSTATUS(status));
    }
    const std::size_t task = running.task;
    running_.erase(found);
    finish(task, std::move(end));
  }

  void finish(std::size_t task, TaskEnd end) {
    ends_[task] = std::move(end);
    for (; told_ < ends_.size() && ends_[told_]; ++told_) ended_(told_, *ends_[told_]);
  }

  static void wait_for_guardians() {
    const Clock::time_point start = Clock::now();
    while (seconds_since(start) < kCleanUp_s) {
      const pid_t gone = waitpid(-1, nullptr, WNOHANG);
      if (gone < 0 && errno != EINTR) return;
      if (gone == 0) poll(nullptr, 0, kLook_ms);
    }
    end_descendants([](pid_t) { return true; }, kCleanUp_s);
  }

  const std::vector<std::function<std::string()>>& tasks_;
  const std::function<double(std::size_t)>& limit_s_;
  const std::function<void(std::size_t, const TaskEnd&)>& ended_;
  std::vector<std::optional<TaskEnd>> ends_;
  std::size_t told_ = 0;
  std::unordered_map<pid_t, Running> running_;
};

}  // namespace

std::vector<TaskEnd> run_isolated(const std::vector<std::function<std::string()>>& tasks, int jobs,
                                  const std::function<double(std::size_t)>& limit_s,
                                  const std::function<void(std::size_t, const TaskEnd&)>& ended) {
  return Runner(tasks, limit_s, ended).run(static_cast<std::size_t>(jobs));
}

}  // namespace petri::cli
