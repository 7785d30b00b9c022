// Programs with processes of other worlds.
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/record/operations.hpp"

namespace petri::test {
namespace {

void spawned() {
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) std::abort();
  MPI_Barrier(parent);
  MPI_Comm_disconnect(&parent);
}

const char* own_path() {
  static char path[4096] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0) std::abort();
  return path;
}

char child[] = "spawned";

void spawns() {
  char* arguments[] = {child, nullptr};
  MPI_Comm children;
  MPI_Comm_spawn(own_path(), arguments, 1, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Barrier(children);
  MPI_Comm_disconnect(&children);
}

void spawns_several() {
  char* commands[] = {const_cast<char*>(own_path())};
  char* arguments[] = {child, nullptr};
  char** all_arguments[] = {arguments};
  const int processes[] = {1};
  const MPI_Info infos[] = {MPI_INFO_NULL};
  MPI_Comm children;
  MPI_Comm_spawn_multiple(1, commands, all_arguments, processes, infos, 0, MPI_COMM_WORLD, &children,
                          MPI_ERRCODES_IGNORE);
  MPI_Barrier(children);
  MPI_Comm_disconnect(&children);
}

// The two ranks of one world meet at a port.
void port() {
  char name[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter;
  if (world_rank() == 0) {
    MPI_Open_port(MPI_INFO_NULL, name);
    MPI_Send(name, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  } else {
    MPI_Recv(name, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  }
  MPI_Barrier(inter);
  MPI_Comm_disconnect(&inter);
}

constexpr Program kPrograms[] = {
    {"spawned", spawned}, {"spawns", spawns}, {"spawns_several", spawns_several}, {"port", port}};

const Programs programs(kPrograms);

}  // namespace
}  // namespace petri::test
