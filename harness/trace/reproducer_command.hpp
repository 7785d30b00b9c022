// The file beside a scenario that names the program which must stay free of the scenario's failure. One JSON object:
//
//   {"command":["solver","--size","64"], "ranks":4, "repeat":5, "retries":2, "timeout":30,
//    "environment":{"SOLVER_PLAN":"slabs"}, "allow":["rank-error"], "expect":"absent", "record":["digests"], "ring":64}
//
// Only `command` is required. Keys that begin with x_ are free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

inline constexpr const char* kReproducerFile = "reproducer.json";

struct ReproducerCommand {
  std::vector<std::string> arguments;  // the program first; an argument list, never a shell line
  std::optional<std::int32_t> ranks;   // nothing: as many as the scenario has
  std::int32_t repeat = 1;             // runs that must tell something: more for a failure that shows only sometimes
  std::int32_t retries = 2;            // further runs in place of those that told nothing
  std::optional<double> timeout_s;     // of one run; nothing: the caller's own
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<Verdict> allow;  // other failures that the program may end with
  bool absent = true;          // false: a failure that is known and still there
  // What is recorded beside the calls, where the failure cannot be seen without it: see `petri record`.
  bool digests = false, buffers = false;
  std::optional<std::uint64_t> ring_mib;  // for the events of a rank
};

// Throws InputError with file, line and column for what it does not know, and for a file that is none or beyond 16 MiB.
ReproducerCommand read_reproducer_command(const std::filesystem::path& file);

// A file with `arguments`, `ranks` and what is recorded of this command, and nothing else. Throws std::system_error.
void write_reproducer_command(const ReproducerCommand& command, const std::filesystem::path& file);

}  // namespace petri
