// Any bytes as reproducer.json: a command that can be run as its rules say, and that survives being filed; or an
// InputError with a place.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "harness/trace/printable.hpp"
#include "harness/trace/reproducer_command.hpp"
#include "tests/fuzz/hold.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using namespace petri;
using fuzz::require;

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

void require_sound(const ReproducerCommand& command) {
  require(!command.arguments.empty() && !command.arguments.front().empty(), "there is a program");
  require(std::none_of(command.arguments.begin(), command.arguments.end(), has_nul), "no argument ends early");
  require(!command.ranks || *command.ranks >= 1, "somebody runs");
  require(command.repeat >= 1 && command.retries >= 0, "the number of runs is one");
  require(!command.timeout_s || (*command.timeout_s > 0 && std::isfinite(*command.timeout_s)), "each run has its end");
  require(!command.ring_mib || *command.ring_mib >= 1, "there is room for events");
  for (const auto& [name, value] : command.environment) {
    require(!name.empty() && name.find('=') == std::string::npos && !has_nul(name) && !has_nul(value),
            "variables are such");
    require(name != "LD_PRELOAD" && !name.starts_with("PETRI_"), "petri's own variables stay");
  }
  for (const Verdict verdict : command.allow)
    require(verdict != Verdict::completes && verdict != Verdict::ambiguous, "what is allowed is a failure");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file, filed;
  file.write({reinterpret_cast<const char*>(data), size});
  ReproducerCommand command;
  try {
    command = read_reproducer_command(file.path());
  } catch (const InputError& error) {
    require(error.line() > 0 && printable_line(error.what()) == error.what(), "the message names a line, on one line");
    return 0;
  }
  require_sound(command);
  write_reproducer_command(command, filed.path());
  const ReproducerCommand again = read_reproducer_command(filed.path());
  require(again.arguments == command.arguments && again.ranks == command.ranks, "what is filed is what was meant");
  require(again.digests == command.digests && again.buffers == command.buffers, "what is recorded is filed");
  return 0;
}
