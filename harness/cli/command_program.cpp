#include "harness/cli/command_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "harness/launch/interpreter.hpp"
#include "harness/launch/mpirun.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

bool can_run(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

fs::path find(const std::string& name, const fs::path& folder, const std::vector<fs::path>& program_path) {
  if (name.find('/') != std::string::npos) return folder / name;  // an absolute one stays as it is
  for (const fs::path& place : program_path)
    if (can_run(place / name)) return fs::absolute(place / name);
  const fs::path found = find_program(name);
  return found.empty() ? found : fs::absolute(found);
}

}  // namespace

std::vector<std::string> resolve_command(const ReproducerCommand& command, const fs::path& folder, std::int32_t ranks,
                                         const std::vector<fs::path>& program_path) {
  std::vector<std::string> words;
  for (const std::string& argument : command.arguments)
    words.push_back(replaced(replaced(argument, "{ranks}", std::to_string(ranks)), "{folder}", folder.string()));
  const fs::path program = find(words[0], folder, program_path);
  if (program.empty())
    throw EnvironmentError(
        fmt::format("no program '{}' is found: build it, and name its folder by --program-path", words[0]));
  if (!can_run(program)) throw EnvironmentError(fmt::format("{} is no program that can be run", program.string()));
  if (const std::string problem = interpreter_problem(program); !problem.empty())
    throw EnvironmentError(fmt::format("{} cannot be started: {}", program.string(), problem));
  words[0] = program.string();
  return words;
}

}  // namespace petri::cli
