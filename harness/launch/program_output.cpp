#include "harness/launch/program_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>

#include "harness/trace/error.hpp"

namespace petri {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// A file without a name: unlike a pipe it never fills up while nobody reads.
struct Collected {
  Collected() : file(std::tmpfile(), &std::fclose) {
    if (!file) throw EnvironmentError(fmt::format("no temporary file can be made: {}", std::strerror(errno)));
  }
  int descriptor() const { return ::fileno(file.get()); }
  std::string text() const {
    std::string all;
    char part[1 << 16];
    std::rewind(file.get());
    while (const std::size_t size = std::fread(part, 1, sizeof part, file.get())) all.append(part, size);
    return all;
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file;
};

std::vector<std::string> environment_of(const ProgramCall& call) {
  std::vector<std::string> all;
  const auto is_replaced = [&](std::string_view name) {
    return std::find(call.unset.begin(), call.unset.end(), name) != call.unset.end() ||
           std::any_of(call.environment.begin(), call.environment.end(),
                       [&](const auto& pair) { return pair.first == name; });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!is_replaced(text.substr(0, text.find('=')))) all.emplace_back(text);
  }
  for (const auto& [name, value] : call.environment) all.push_back(name + '=' + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t start(const ProgramCall& call, int out, int err) {
  std::vector<std::string> arguments = call.arguments, environment = environment_of(call);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t process = -1;
  const int error = posix_spawnp(&process, arguments[0].c_str(), &actions, nullptr, pointers_to(arguments).data(),
                                 pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw EnvironmentError(fmt::format("{} cannot be started: {}", arguments[0], std::strerror(error)));
  return process;
}

int wait_for(pid_t process, const ProgramCall& call) {
  const auto limit = Clock::now() + std::chrono::duration<double>(call.limit_s);
  int status = 0;
  for (auto pause = 1ms; ::waitpid(process, &status, WNOHANG) == 0; pause = std::min(2 * pause, 50ms)) {
    if (Clock::now() > limit) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      throw EnvironmentError(fmt::format("{} did not end within {} s", call.arguments[0], call.limit_s));
    }
    std::this_thread::sleep_for(pause);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProgramOutput output_of(const ProgramCall& call) {
  const Collected out, err;
  const int status = wait_for(start(call, out.descriptor(), err.descriptor()), call);
  return {status, out.text(), err.text()};
}

}  // namespace petri
