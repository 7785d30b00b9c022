#include "harness/trace/liveness.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace petri {
namespace {

// As the recorder writes it: the boot and the numbering of processes.
std::string this_system() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code none;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

std::string text_of(const char* text, std::size_t size) {
  return {text, std::find(text, text + size, '\0')};
}

}  // namespace

Liveness liveness_of(const record::Header& header) {
  static const std::string here = this_system();
  if (here.size() < 2 || text_of(header.system, sizeof header.system) != here) return Liveness::unknown;
  std::ifstream file("/proc/" + std::to_string(header.pid) + "/stat");
  if (!file) return Liveness::gone;
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  // The name, which may hold anything, ends with the last parenthesis; the state is field 3, the start field 22.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return Liveness::gone;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string state, field;
  fields >> state;
  for (int i = 4; i <= 22; ++i) fields >> field;
  const bool same = field == std::to_string(header.process_start);
  return same && state != "Z" && state != "X" ? Liveness::alive : Liveness::gone;
}

}  // namespace petri
