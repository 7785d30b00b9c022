#include "harness/launch/interpreter.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "harness/launch/mpirun.hpp"

namespace petri {
namespace {

constexpr std::size_t kLongestLine = 256;  // as much as Linux reads of it (BINPRM_BUF_SIZE)

std::string first_line(const std::filesystem::path& program) {
  std::array<char, kLongestLine> begin{};
  std::ifstream in(program, std::ios::binary);
  in.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(in.gcount()));
  return std::string(text.substr(0, text.find('\n')));
}

// The program among the arguments of env(1): behind its options and settings.
std::string program_of_env(std::istringstream& words) {
  for (std::string word; words >> word;)
    if (!word.starts_with('-') && word.find('=') == std::string::npos) return word;
  return {};
}

}  // namespace

std::string interpreter_problem(const std::filesystem::path& program) {
  const std::string line = first_line(program);
  if (!line.starts_with("#!")) return {};
  if (line.ends_with('\r'))
    return "its lines end in a carriage return, which the system takes for a part of its interpreter's name";
  std::istringstream words(line.substr(2));
  std::string interpreter;
  words >> interpreter;
  if (interpreter.empty()) return {};
  std::error_code error;
  if (!std::filesystem::exists(interpreter, error)) return "its interpreter " + interpreter + " is not there";
  if (std::filesystem::path(interpreter).filename() != "env") return {};
  const std::string found_by_env = program_of_env(words);
  if (found_by_env.empty() || !find_program(found_by_env).empty()) return {};
  return "its interpreter " + found_by_env + " is not in PATH";
}

}  // namespace petri
