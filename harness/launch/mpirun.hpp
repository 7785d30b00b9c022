// Finding mpirun, and what it must be told.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/launch/guardian.hpp"

namespace petri {

// A program from PATH, or nothing.
std::filesystem::path find_program(const std::string& name);

// `mpirun -n world program arguments…` on this host: any number of ranks on any number of cores, unbound, also as root.
// What differs between Open MPI 4.1 and 5.0 goes by environment variables, which other versions ignore. The launcher is
// $PETRI_MPIRUN or the `mpirun` in PATH; throws EnvironmentError when there is none.
GuardedCommand mpirun_command(int world, const std::filesystem::path& program,
                              const std::vector<std::string>& arguments);

// Makes Open MPI keep its session and shared-memory backing files in `folder`, by environment variables, unless the
// user has chosen a place or the ranks may be on other hosts (the folder is on this one only). TMPDIR stays as it is:
// the program may use it.
void keep_launcher_files_in(const std::filesystem::path& folder, GuardedCommand& command);

}  // namespace petri
