// Reductions by the MPI library itself and by petri::reproducible_allreduce, for `petri compare --live`: the worker's
// other task beside replaying a scenario.
#pragma once

#include <filesystem>

namespace petri {

// Initializes MPI, makes the reductions that plan/reductions.hpp finds in `folder`, tells what came of them there, and
// finalizes MPI. Returns the exit status; does not return where it cannot go on.
int make_reductions(const std::filesystem::path& folder, int* argc, char*** argv);

}  // namespace petri
