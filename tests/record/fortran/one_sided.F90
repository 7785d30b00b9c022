! Windows and one-sided data movement.
#include "binding.fh"

subroutine windows()
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: ierr
  integer, asynchronous :: memory(4)
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  BASE_T :: own
  WIN_T :: win
  memory = 0
  bytes = 16
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierr)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, own, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, own, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_free(win, ierr)
end subroutine

! Rank 0 exposes its memory, rank 1 reaches into it.
subroutine exposure(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, x(4)
  integer, asynchronous :: memory(4)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at
  logical :: flag
  GROUP_T :: world, other
  WIN_T :: win
  x = rank
  memory = 0
  bytes = 16
  at = 1
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
  call MPI_Group_incl(world, 1, [1 - rank], other, ierr)
  if (rank == 0) then
    call MPI_Win_post(other, MPI_MODE_NOSTORE, win, ierr)
    call MPI_Win_wait(win, ierr)
    call MPI_Win_post(other, 0, win, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Win_test(win, flag, ierr)
    end do
  else
    call MPI_Win_start(other, 0, win, ierr)
    call MPI_Put(x, 1, MPI_INTEGER, 0, at, 1, MPI_INTEGER, win, ierr)
    call MPI_Win_complete(win, ierr)
    call MPI_Win_start(other, 0, win, ierr)
    call MPI_Win_complete(win, ierr)
  end if
  call MPI_Group_free(other, ierr)
  call MPI_Group_free(world, ierr)
  call MPI_Win_free(win, ierr)
end subroutine

! Each rank reaches into the other's memory.
subroutine one_sided(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: other, ierr
  integer, asynchronous :: memory(8), x(4), y(8)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at
  REQUEST_T :: r(4)
  WIN_T :: win
  other = 1 - rank
  x = rank
  memory = 0
  bytes = 32
  at = 2
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win, ierr)
  call MPI_Put(x, 2, MPI_INTEGER, other, at, 2, MPI_INTEGER, win, ierr)
  call MPI_Win_flush(other, win, ierr)
  call MPI_Get(y, 2, MPI_INTEGER, other, at, 2, MPI_INTEGER, win, ierr)
  call MPI_Win_flush_local(other, win, ierr)
  call MPI_Win_unlock(other, win, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  call MPI_Accumulate(x, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, MPI_SUM, win, ierr)
  call MPI_Win_flush_all(win, ierr)
  call MPI_Get_accumulate(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, MPI_SUM, win, ierr)
  call MPI_Win_flush_local_all(win, ierr)
  call MPI_Win_sync(win, ierr)
  call MPI_Fetch_and_op(x, y, MPI_INTEGER, other, at, MPI_SUM, win, ierr)
  call MPI_Compare_and_swap(x, x(2), y(2), MPI_INTEGER, other, at, win, ierr)
  call MPI_Rput(x, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, win, r(1), ierr)
  call MPI_Rget(y(3), 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, win, r(2), ierr)
  call MPI_Raccumulate(x, 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, MPI_MAX, win, r(3), ierr)
  call MPI_Rget_accumulate(x, 1, MPI_INTEGER, y(4), 1, MPI_INTEGER, other, at, 1, MPI_INTEGER, MPI_SUM, win, r(4), ierr)
  call MPI_Waitall(4, r, MPI_STATUSES_IGNORE, ierr)
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Win_free(win, ierr)
end subroutine
