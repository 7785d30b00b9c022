// The files of a scenario, as a replay makes them: each in the replay's own folder, never where the record says. Free
// of MPI.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {

struct FilePlan {
  std::int32_t comm = kNoComm;  // over which it is opened
  bool opened = false;          // by an event; else it is opened before the first one
  std::string name;             // of the file in the replay's folder; one for each recorded path
};

// By the scenario's name of the open file.
std::map<std::string, FilePlan> files_of(const Scenario& scenario);

// The words of an access mode that a replay knows, as in "create,wronly".
bool is_access_mode(const std::string& word);

// Why the files cannot be used, or nothing.
std::optional<Refusal> reason_against_files(const Scenario& scenario);

}  // namespace petri
