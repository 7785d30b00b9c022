// Every rank polls for a message of its right neighbour before it sends to its left one: no rank is inside a call for
// longer than a moment, and no rank gets on.
#include "tests/programs/programs.hpp"

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  const int left = (job.rank + job.size - 1) % job.size;
  const int right = (job.rank + 1) % job.size;
  int mine = job.rank, theirs = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&theirs, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &request);
  if (job.fixed) MPI_Send(&mine, 1, MPI_INT, left, 0, MPI_COMM_WORLD);
  for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  if (!job.fixed) MPI_Send(&mine, 1, MPI_INT, left, 0, MPI_COMM_WORLD);
  return 0;
}
