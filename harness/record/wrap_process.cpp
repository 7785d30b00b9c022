// Communicators with processes of other worlds, MPI 4.1 chapter 11. Whom they hold is not in this recording; where both
// sides are in one world all the same, they have one name on both.
#include "harness/record/creation.hpp"

using namespace petri;
using namespace petri::record;

namespace {

template <class Spawn>
int spawn(Op op, const void* site, int root, MPI_Comm comm, const MPI_Comm* made, const Spawn& make) {
  Call call(op, site, comm);
  describe_creation(call);
  call.root(root);
  call.begin();
  return settle(call, make(), made);
}

// Two communicators meet at a port, each at a position of its own.
template <class Meet>
int meet(Op op, const void* site, int root, MPI_Comm comm, const MPI_Comm* made, const Meet& make) {
  Call call(op, site, comm);
  call.positional();
  call.root(root);
  call.begin();
  return settle_by_tag(call, make(), made, 0);
}

}  // namespace

PETRI_MPI(Comm_spawn)
(const char* command, char* arguments[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm,
 int errors[]) {
  return spawn(Op::comm_spawn, PETRI_SITE, root, comm, intercomm,
               [=] { return real::Comm_spawn(command, arguments, maxprocs, info, root, comm, intercomm, errors); });
}

PETRI_MPI(Comm_spawn_multiple)
(int count, char* commands[], char** arguments[], const int maxprocs[], const MPI_Info infos[], int root, MPI_Comm comm,
 MPI_Comm* intercomm, int errors[]) {
  return spawn(Op::comm_spawn_multiple, PETRI_SITE, root, comm, intercomm, [=] {
    return real::Comm_spawn_multiple(count, commands, arguments, maxprocs, infos, root, comm, intercomm, errors);
  });
}

PETRI_MPI(Comm_accept)(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return meet(Op::comm_accept, PETRI_SITE, root, comm, newcomm,
              [=] { return real::Comm_accept(port, info, root, comm, newcomm); });
}

PETRI_MPI(Comm_connect)(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return meet(Op::comm_connect, PETRI_SITE, root, comm, newcomm,
              [=] { return real::Comm_connect(port, info, root, comm, newcomm); });
}
