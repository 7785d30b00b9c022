! Calls that are new in MPI 4.0.
#include "binding.fh"

subroutine mpi4_messages(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, other
  integer, asynchronous :: mine, theirs, both
  REQUEST_T :: r(2)
  COMM_T :: copy
  other = 1 - rank
  mine = rank
  both = rank
  call MPI_Isendrecv(mine, 1, MPI_INTEGER, other, 3, theirs, 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, r(1), ierr)
  call MPI_Isendrecv_replace(both, 1, MPI_INTEGER, other, 4, other, 4, MPI_COMM_WORLD, r(2), ierr)
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
  call MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, copy, r(1), ierr)
  call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_free(copy, ierr)
end subroutine

#if !defined(PETRI_F08)
! Rank 0 sends four partitions of two elements each, in every way to say that one is ready. Not with mpi_f08: in Open MPI
! 5.0 that module declares MPI_Psend_init and MPI_Precv_init without their argument info, which their code then misses.
subroutine partitioned(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer(kind=MPI_COUNT_KIND), parameter :: each = 2
  integer :: ierr, last(1)
  integer, asynchronous :: x(8)
  logical :: arrived
  REQUEST_T :: r
  x = rank
  last = 3
  if (rank == 0) then
    call MPI_Psend_init(x, 4, each, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, r, ierr)
  else
    call MPI_Precv_init(x, 4, each, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, r, ierr)
  end if
  call MPI_Start(r, ierr)
  if (rank == 0) then
    call MPI_Pready(0, r, ierr)
    call MPI_Pready_range(1, 2, r, ierr)
    call MPI_Pready_list(1, last, r, ierr)
  else
    arrived = .false.
    do while (.not. arrived)
      call MPI_Parrived(r, 2, arrived, ierr)
    end do
  end if
  call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
  call MPI_Request_free(r, ierr)
end subroutine
#endif

subroutine from_groups(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, one(1)
  GROUP_T :: all, mine, theirs
  COMM_T :: both, inter
  call MPI_Comm_group(MPI_COMM_WORLD, all, ierr)
  one = rank
  call MPI_Group_incl(all, 1, one, mine, ierr)
  one = 1 - rank
  call MPI_Group_incl(all, 1, one, theirs, ierr)
  call MPI_Comm_create_from_group(all, 'both', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, both, ierr)
  call MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, 'inter', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, inter, ierr)
  call MPI_Comm_free(inter, ierr)
  call MPI_Comm_free(both, ierr)
end subroutine
