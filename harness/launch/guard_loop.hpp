// Inside the guardian process. Internal to launch.
#pragma once

#include <filesystem>

#include "harness/launch/guardian.hpp"

namespace petri {

// The guardian's life, with petri at the other end of kGuardSocket; returns when the command's tree is ended and the
// folder removed. Of the command, `prepare` is petri's own business.
void run_guard_loop(const GuardedCommand& command, const std::filesystem::path& folder);

}  // namespace petri
