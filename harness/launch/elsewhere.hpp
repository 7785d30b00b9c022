// Jobs whose ranks may run on other hosts than this one.
#pragma once

#include <string>
#include <vector>

#include "harness/launch/guardian.hpp"

namespace petri {

// The hosts that a command names, by the options of mpirun and srun and in host files, each once and in that order.
std::vector<std::string> named_hosts(const std::vector<std::string>& arguments);

// This host's own name, short or in full, or a name of its loopback.
bool is_this_host(const std::string& name);

// True when the command's ranks can be on other hosts: it names some, or it runs in an allocation of several, or it is
// srun, which decides that itself. A script that starts mpirun elsewhere is not seen through.
bool may_leave_this_host(const std::vector<std::string>& arguments);

// True when the command is Slurm's srun.
bool is_srun(const std::vector<std::string>& arguments);

// Makes launchers give LD_PRELOAD and PETRI_* to ranks on other hosts, by variables that the launcher reads (mpirun
// takes only OMPI_* there by itself) and only beside what the user has set. Call it when `command.environment` is
// otherwise complete.
void forward_environment(GuardedCommand& command);

}  // namespace petri
