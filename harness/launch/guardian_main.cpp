// petri-guardian: starts one command and outlives nothing of it (guardian.hpp). A program of its own: petri has
// threads, and a process forked from one that has may neither take memory nor lock anything until it executes a program
// (POSIX, fork()); nor does a guardian keep the pages of a large recording.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "harness/launch/guard_loop.hpp"
#include "harness/launch/guard_protocol.hpp"

namespace petri {
namespace {

// Takes what is for the command out of this process's own environment.
std::vector<std::pair<std::string, std::string>> take_command_variables() {
  const std::string prefix = kCommandVariable;
  std::vector<std::pair<std::string, std::string>> taken;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!text.starts_with(prefix)) continue;
    const std::size_t name_end = text.find('=');
    taken.emplace_back(text.substr(prefix.size(), name_end - prefix.size()), text.substr(name_end + 1));
  }
  for (const auto& [name, value] : taken) unsetenv((prefix + name).c_str());
  return taken;
}

GuardedCommand command_of(int count, char** arguments) {
  GuardedCommand command;
  command.arguments.assign(arguments + GuardianArgument::first_word, arguments + count);
  command.environment = take_command_variables();
  command.inherit_stdin = std::strcmp(arguments[GuardianArgument::input], kOwnInput) == 0;
  command.output = arguments[GuardianArgument::output];
  command.working_folder = arguments[GuardianArgument::working_folder];
  return command;
}

}  // namespace
}  // namespace petri

int main(int count, char** arguments) {
  using petri::GuardianArgument;
  if (count <= GuardianArgument::first_word || fcntl(petri::kGuardSocket, F_GETFD) < 0) {
    std::fputs("petri-guardian: petri starts it, for each program that it runs\n", stderr);
    return 2;
  }
  petri::run_guard_loop(petri::command_of(count, arguments), arguments[GuardianArgument::folder]);
  return 0;
}
