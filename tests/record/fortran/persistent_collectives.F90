! Persistent collectives: each is made, all are started.
#include "binding.fh"
#if !defined(PETRI_MPIX)
#define MPIX_Barrier_init MPI_Barrier_init
#define MPIX_Bcast_init MPI_Bcast_init
#define MPIX_Reduce_init MPI_Reduce_init
#define MPIX_Allreduce_init MPI_Allreduce_init
#define MPIX_Scan_init MPI_Scan_init
#define MPIX_Exscan_init MPI_Exscan_init
#define MPIX_Reduce_scatter_init MPI_Reduce_scatter_init
#define MPIX_Reduce_scatter_block_init MPI_Reduce_scatter_block_init
#define MPIX_Gather_init MPI_Gather_init
#define MPIX_Gatherv_init MPI_Gatherv_init
#define MPIX_Scatter_init MPI_Scatter_init
#define MPIX_Scatterv_init MPI_Scatterv_init
#define MPIX_Allgather_init MPI_Allgather_init
#define MPIX_Allgatherv_init MPI_Allgatherv_init
#define MPIX_Alltoall_init MPI_Alltoall_init
#define MPIX_Alltoallv_init MPI_Alltoallv_init
#define MPIX_Alltoallw_init MPI_Alltoallw_init
#define MPIX_Neighbor_allgather_init MPI_Neighbor_allgather_init
#define MPIX_Neighbor_allgatherv_init MPI_Neighbor_allgatherv_init
#define MPIX_Neighbor_alltoall_init MPI_Neighbor_alltoall_init
#define MPIX_Neighbor_alltoallv_init MPI_Neighbor_alltoallv_init
#define MPIX_Neighbor_alltoallw_init MPI_Neighbor_alltoallw_init
#endif

subroutine persistent_collectives(rank)
  USE_MPI
  USE_MPIX
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: i, ierr
  integer, asynchronous :: x(4, 17), y(4, 17)
  integer, save :: n(2), at(2), bytes(2)
  TYPE_T, save :: t(2)
  REQUEST_T :: r(17)
  x = rank
  n = 1
  at = [0, 1]
  bytes = 4 * at
  t = MPI_INTEGER
  call MPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, r(1), ierr)
  call MPIX_Bcast_init(x(1, 2), 4, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, r(2), ierr)
  call MPIX_Reduce_init(x(1, 3), y(1, 3), 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, r(3), ierr)
  call MPIX_Allreduce_init(x(1, 4), y(1, 4), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r(4), ierr)
  call MPIX_Scan_init(x(1, 5), y(1, 5), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r(5), ierr)
  call MPIX_Exscan_init(x(1, 6), y(1, 6), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r(6), ierr)
  call MPIX_Reduce_scatter_init(x(1, 7), y(1, 7), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r(7), ierr)
  call MPIX_Reduce_scatter_block_init(x(1, 8), y(1, 8), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, r(8), ierr)
  call MPIX_Gather_init(x(1, 9), 1, MPI_INTEGER, y(1, 9), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, r(9), ierr)
  call MPIX_Gatherv_init(x(1, 10), 1, MPI_INTEGER, y(1, 10), n, at, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, r(10), ierr)
  call MPIX_Scatter_init(x(1, 11), 1, MPI_INTEGER, y(1, 11), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, r(11), ierr)
  call MPIX_Scatterv_init(x(1, 12), n, at, MPI_INTEGER, y(1, 12), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, r(12), ierr)
  call MPIX_Allgather_init(x(1, 13), 1, MPI_INTEGER, y(1, 13), 1, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, r(13), ierr)
  call MPIX_Allgatherv_init(x(1, 14), 1, MPI_INTEGER, y(1, 14), n, at, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, r(14), ierr)
  call MPIX_Alltoall_init(x(1, 15), 1, MPI_INTEGER, y(1, 15), 1, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, r(15), ierr)
  call MPIX_Alltoallv_init(x(1, 16), n, at, MPI_INTEGER, y(1, 16), n, at, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, r(16), ierr)
  call MPIX_Alltoallw_init(x(1, 17), n, bytes, t, y(1, 17), n, bytes, t, MPI_COMM_WORLD, MPI_INFO_NULL, r(17), ierr)
  call MPI_Startall(17, r, ierr)
  call MPI_Waitall(17, r, MPI_STATUSES_IGNORE, ierr)
  do i = 1, 17
    call MPI_Request_free(r(i), ierr)
  end do
end subroutine

! Each rank has the other as its one neighbour.
subroutine persistent_neighbors(rank)
  USE_MPI
  USE_MPIX
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: i, ierr, other(1), weight(1)
  integer, asynchronous :: x(5), y(5)
  integer, save :: n(1), at(1)
  integer(kind=MPI_ADDRESS_KIND), save :: bytes(1)
  TYPE_T, save :: t(1)
  COMM_T :: pair
  REQUEST_T :: r(5)
  x = rank
  other = 1 - rank
  weight = 1
  n = 1
  at = 0
  bytes = 0
  t = MPI_INTEGER
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, weight, 1, other, weight, MPI_INFO_NULL, .false., pair, ierr)
  call MPIX_Neighbor_allgather_init(x(1), 1, MPI_INTEGER, y(1), 1, MPI_INTEGER, pair, MPI_INFO_NULL, r(1), ierr)
  call MPIX_Neighbor_allgatherv_init(x(2), 1, MPI_INTEGER, y(2), n, at, MPI_INTEGER, pair, MPI_INFO_NULL, r(2), ierr)
  call MPIX_Neighbor_alltoall_init(x(3), 1, MPI_INTEGER, y(3), 1, MPI_INTEGER, pair, MPI_INFO_NULL, r(3), ierr)
  call MPIX_Neighbor_alltoallv_init(x(4), n, at, MPI_INTEGER, y(4), n, at, MPI_INTEGER, pair, MPI_INFO_NULL, r(4), ierr)
  call MPIX_Neighbor_alltoallw_init(x(5), n, bytes, t, y(5), n, bytes, t, pair, MPI_INFO_NULL, r(5), ierr)
  call MPI_Startall(5, r, ierr)
  call MPI_Waitall(5, r, MPI_STATUSES_IGNORE, ierr)
  do i = 1, 5
    call MPI_Request_free(r(i), ierr)
  end do
  call MPI_Comm_free(pair, ierr)
end subroutine
