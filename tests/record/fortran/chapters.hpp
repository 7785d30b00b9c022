// What the Fortran programs of this folder can be asked to run, on two ranks.
#pragma once

namespace petri::test {

inline constexpr const char* kFortranChapters[] = {
    "point_to_point",
    "nonblocking",
    "persistent",
    "collectives",
    "nonblocking_collectives",
    "communicators",
    "persistent_collectives",
    "persistent_neighbors",
    "mpi4_messages",
    "partitioned",
    "from_groups",
    "intercommunicators",
    "neighbors",
    "windows",
    "exposure",
    "one_sided",
    "file_states",
    "file_access",
    "split_file_access",
    "spawns",
    "port",
    "threads",
};

}  // namespace petri::test
