! Communicators, intercommunicators, topologies and the collectives along them.
#include "binding.fh"

subroutine communicators(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, one(1), degree(1)
  logical :: periods(2), keep(2)
  COMM_T :: made
  GROUP_T :: group
  REQUEST_T :: request
  call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
  call MPI_Barrier(made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, made, ierr)
  call MPI_Comm_disconnect(made, ierr)
  call MPI_Comm_idup(MPI_COMM_WORLD, made, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Barrier(made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
  call MPI_Comm_create(MPI_COMM_WORLD, group, made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Group_free(group, ierr)
  periods = .false.
  keep = [.true., .false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 1], periods, .false., made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [1, 2], periods, .false., made, ierr)
  call cart_sub(made, keep)
  one = 1 - rank
  degree = 1
  call MPI_Graph_create(MPI_COMM_WORLD, 2, [1, 2], [1, 0], .false., made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], degree, one, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., made, ierr)
  call MPI_Comm_free(made, ierr)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, one, degree, 1, one, degree, MPI_INFO_NULL, .false., made, ierr)
  call MPI_Comm_free(made, ierr)
contains
  subroutine cart_sub(whole, keep)
    COMM_T, intent(inout) :: whole
    logical, intent(in) :: keep(2)
    COMM_T :: part
    integer :: ierr
    call MPI_Cart_sub(whole, keep, part, ierr)
    call MPI_Comm_free(part, ierr)
    call MPI_Comm_free(whole, ierr)
  end subroutine
end subroutine

subroutine intercommunicators(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr
  COMM_T :: inter, merged
  call MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, inter, ierr)
  call MPI_Barrier(inter, ierr)
  call MPI_Intercomm_merge(inter, rank == 1, merged, ierr)
  call MPI_Barrier(merged, ierr)
  call MPI_Comm_free(merged, ierr)
  call MPI_Comm_free(inter, ierr)
end subroutine

! Each rank has the other as its one neighbour.
subroutine neighbors(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, x(6), y(6), other(1), weight(1)
  integer, save :: counts(1), places(1)
  integer(kind=MPI_ADDRESS_KIND), save :: bytes(1)
  TYPE_T, save :: types(1)
  COMM_T :: pair
  REQUEST_T :: r(5)
  x = rank
  other = 1 - rank
  weight = 1
  counts = 1
  places = 0
  bytes = 0
  types = MPI_INTEGER
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, weight, 1, other, weight, MPI_INFO_NULL, .false., pair, ierr)
  call MPI_Neighbor_allgather(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, pair, ierr)
  call MPI_Neighbor_allgatherv(x, 1, MPI_INTEGER, y, counts, places, MPI_INTEGER, pair, ierr)
  call MPI_Neighbor_alltoall(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, pair, ierr)
  call MPI_Neighbor_alltoallv(x, counts, places, MPI_INTEGER, y, counts, places, MPI_INTEGER, pair, ierr)
  call MPI_Neighbor_alltoallw(x, counts, bytes, types, y, counts, bytes, types, pair, ierr)
  call MPI_Ineighbor_allgather(x, 1, MPI_INTEGER, y(1), 1, MPI_INTEGER, pair, r(1), ierr)
  call MPI_Ineighbor_allgatherv(x, 1, MPI_INTEGER, y(2), counts, places, MPI_INTEGER, pair, r(2), ierr)
  call MPI_Ineighbor_alltoall(x, 1, MPI_INTEGER, y(3), 1, MPI_INTEGER, pair, r(3), ierr)
  call MPI_Ineighbor_alltoallv(x, counts, places, MPI_INTEGER, y(4), counts, places, MPI_INTEGER, pair, r(4), ierr)
  call MPI_Ineighbor_alltoallw(x, counts, bytes, types, y(5), counts, bytes, types, pair, r(5), ierr)
  call MPI_Waitall(5, r, MPI_STATUSES_IGNORE, ierr)
  call MPI_Comm_free(pair, ierr)
end subroutine
