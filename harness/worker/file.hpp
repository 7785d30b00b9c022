// Opening files of a replay.
#pragma once

#include <mpi.h>

#include <filesystem>

namespace petri {

// Collective over `comm`. Where the mode does not make the file, an empty one is put there first.
void open_file(MPI_Comm comm, const std::filesystem::path& path, int mode, MPI_File* file);

}  // namespace petri
