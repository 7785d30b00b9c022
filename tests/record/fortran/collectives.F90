! Collectives: blocking, nonblocking.
#include "binding.fh"

subroutine collectives(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, x(4), y(4), counts(2), displs(2)
  TYPE_T :: types(2)
  x = rank
  counts = 1
  displs = [0, 1]
  types = MPI_INTEGER
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Bcast(x, 4, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
  call MPI_Reduce(x, y, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, y, 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  call MPI_Scan(x, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Exscan(x, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Reduce_scatter(x, y, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Reduce_scatter_block(x, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Gather(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Gatherv(x, 1, MPI_INTEGER, y, counts, displs, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Scatter(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Scatterv(x, counts, displs, MPI_INTEGER, y, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Allgather(MPI_IN_PLACE, 1, MPI_INTEGER, y, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Allgatherv(x, 1, MPI_INTEGER, y, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Alltoall(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Alltoallv(x, counts, displs, MPI_INTEGER, y, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Alltoallw(x, counts, 4 * displs, types, y, counts, 4 * displs, types, MPI_COMM_WORLD, ierr)
end subroutine

subroutine nonblocking_collectives(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, x(4, 20), y(4, 20)
  integer, save :: counts(2), displs(2), bytes(2)
  TYPE_T, save :: types(2)
  REQUEST_T :: r(17)
  x = rank
  counts = 1
  displs = [0, 1]
  bytes = 4 * displs
  types = MPI_INTEGER
  call MPI_Ibarrier(MPI_COMM_WORLD, r(1), ierr)
  call MPI_Ibcast(x(1, 2), 4, MPI_INTEGER, 1, MPI_COMM_WORLD, r(2), ierr)
  call MPI_Ireduce(x(1, 3), y(1, 3), 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, r(3), ierr)
  call MPI_Iallreduce(MPI_IN_PLACE, y(1, 4), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, r(4), ierr)
  call MPI_Iscan(x(1, 5), y(1, 5), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(5), ierr)
  call MPI_Iexscan(x(1, 6), y(1, 6), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(6), ierr)
  call MPI_Ireduce_scatter(x(1, 7), y(1, 7), counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(7), ierr)
  call MPI_Ireduce_scatter_block(x(1, 8), y(1, 8), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, r(8), ierr)
  call MPI_Igather(x(1, 9), 1, MPI_INTEGER, y(1, 9), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, r(9), ierr)
  call MPI_Igatherv(x(1, 10), 1, MPI_INTEGER, y(1, 10), counts, displs, MPI_INTEGER, 0, MPI_COMM_WORLD, r(10), ierr)
  call MPI_Iscatter(x(1, 11), 1, MPI_INTEGER, y(1, 11), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, r(11), ierr)
  call MPI_Iscatterv(x(1, 12), counts, displs, MPI_INTEGER, y(1, 12), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, r(12), ierr)
  call MPI_Iallgather(x(1, 13), 1, MPI_INTEGER, y(1, 13), 1, MPI_INTEGER, MPI_COMM_WORLD, r(13), ierr)
  call MPI_Iallgatherv(x(1, 14), 1, MPI_INTEGER, y(1, 14), counts, displs, MPI_INTEGER, MPI_COMM_WORLD, r(14), ierr)
  call MPI_Ialltoall(x(1, 15), 1, MPI_INTEGER, y(1, 15), 1, MPI_INTEGER, MPI_COMM_WORLD, r(15), ierr)
  call MPI_Ialltoallv(x(1, 16), counts, displs, MPI_INTEGER, y(1, 16), counts, displs, MPI_INTEGER, MPI_COMM_WORLD, r(16), ierr)
  call MPI_Ialltoallw(x(1, 17), counts, bytes, types, y(1, 17), counts, bytes, types, MPI_COMM_WORLD, r(17), ierr)
  call MPI_Waitall(17, r, MPI_STATUSES_IGNORE, ierr)
end subroutine
