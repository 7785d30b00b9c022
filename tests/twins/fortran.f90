! Programs in Fortran. One source for all interfaces: fortran-mpif_h, fortran-use_mpi and fortran-f08 are the chapters.
#include "tests/record/fortran/binding.fh"
#define TWIN(name, ranks, mistake, verdict, culprits) subroutine name
#define LEGAL(name, ranks) subroutine name
#define BEGIN USE_MPI; use twin; implicit none
#define END_TWIN end subroutine

! Large messages, first sent by both.
TWIN(both_send_first, 2, order, deadlock, "0,1")
  BEGIN
  INCLUDE_MPI
  integer :: ierror
  real :: mine(large), theirs(large)
  mine = rank
  if (wrong .or. rank == 0) call MPI_Send(mine, large, MPI_REAL, 1 - rank, 0, MPI_COMM_WORLD, ierror) ! fault
  call MPI_Recv(theirs, large, MPI_REAL, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  if (.not. wrong .and. rank == 1) call MPI_Send(mine, large, MPI_REAL, 1 - rank, 0, MPI_COMM_WORLD, ierror)
END_TWIN

! The receiver waits for another tag.
TWIN(tag_differs, 2, argument, deadlock, "0,1")
  BEGIN
  INCLUDE_MPI
  integer :: ierror, number
  number = 0
  if (rank == 0) then
    call MPI_Ssend(number, 1, MPI_INTEGER, 1, merge(2, 1, logical(wrong)), MPI_COMM_WORLD, ierror) ! fault
  else
    call MPI_Recv(number, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! fault
  end if
END_TWIN

! The receive has room for half of the message.
TWIN(receive_too_short, 2, argument, mismatch, "0,1")
  BEGIN
  INCLUDE_MPI
  integer :: ierror, room, numbers(8)
  numbers = rank
  if (rank == 0) then
    call MPI_Send(numbers, 8, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierror) ! fault
  else
    room = 8
    if (wrong) room = 4
    call MPI_Recv(numbers, room, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! fault
  end if
END_TWIN

! Single precision is received as double.
TWIN(precision_differs, 2, argument, mismatch, "0,1")
  BEGIN
  INCLUDE_MPI
  integer :: ierror
  double precision :: numbers(4)
  numbers = rank
  if (rank == 0) then
    call MPI_Send(numbers, 4, merge_type(), 1, 0, MPI_COMM_WORLD, ierror) ! fault
  else
    call MPI_Recv(numbers, 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! fault
  end if
contains
  function merge_type() result(type)
    TYPE_T :: type
    type = MPI_DOUBLE_PRECISION
    if (wrong) type = MPI_REAL
  end function
END_TWIN

! Roots counted from 1, as arrays are.
TWIN(root_counted_from_one, 3, argument, mismatch, "1")
  BEGIN
  INCLUDE_MPI
  integer :: ierror, number, root
  number = rank
  root = 0
  if (wrong .and. rank == 1) root = 1
  call MPI_Bcast(number, 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierror) ! fault
END_TWIN

! One rank sums another number of elements.
TWIN(count_differs, 3, argument, mismatch, "2")
  BEGIN
  INCLUDE_MPI
  integer :: ierror, n
  real :: part(4), total(4)
  part = rank
  n = 4
  if (wrong .and. rank == 2) n = 3
  call MPI_Allreduce(part, total, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierror) ! fault
END_TWIN

! A rank without work leaves out the last barrier.
TWIN(barrier_left_out, 3, missing, deadlock, "1")
  BEGIN
  INCLUDE_MPI
  integer :: ierror, total
  call MPI_Allreduce(int(rank), total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
  if (wrong .and. rank == 1) return
  call MPI_Barrier(MPI_COMM_WORLD, ierror) ! fault
END_TWIN

! A receive that nobody completes.
TWIN(request_never_completed, 2, completion, misuse, "1")
  BEGIN
  INCLUDE_MPI
  integer :: ierror
  integer, save :: number
  REQUEST_T :: request
  number = 0
  if (rank == 0) then
    call MPI_Send(number, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_Irecv(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, ierror) ! fault
    if (.not. wrong) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  end if
END_TWIN

! The last of a line sends to the one behind it.
TWIN(neighbour_beyond_the_end, 3, argument, rank_error, "2")
  BEGIN
  INCLUDE_MPI
  integer :: ierror, up, down, mine
  up = rank + 1
  if (up == ranks .and. .not. wrong) up = MPI_PROC_NULL
  down = rank - 1
  if (down < 0) down = MPI_PROC_NULL
  mine = rank
  call MPI_Sendrecv_replace(mine, 1, MPI_INTEGER, up, 0, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! fault
END_TWIN

! An exchange that cannot block, with derived types and in place.
LEGAL(shapes_that_fit, 3)
  BEGIN
  INCLUDE_MPI
  integer :: ierror, left, right
  real :: pairs(2, large), theirs(2, large), total(4)
  TYPE_T :: pair
  pairs = rank
  total = rank
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call MPI_Type_contiguous(2, MPI_REAL, pair, ierror)
  call MPI_Type_commit(pair, ierror)
  call MPI_Sendrecv(pairs, large, pair, right, 0, theirs, 2 * large, MPI_REAL, left, 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, total, 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Type_free(pair, ierror)
END_TWIN

! Enters them into the table that twin.c keeps.
subroutine enter_twins() bind(C)
  use twin
  implicit none
  external :: both_send_first, tag_differs, receive_too_short, precision_differs, root_counted_from_one, count_differs
  external :: barrier_left_out, request_never_completed, neighbour_beyond_the_end, shapes_that_fit
  call enter('both_send_first', 2, both_send_first)
  call enter('tag_differs', 2, tag_differs)
  call enter('receive_too_short', 2, receive_too_short)
  call enter('precision_differs', 2, precision_differs)
  call enter('root_counted_from_one', 3, root_counted_from_one)
  call enter('count_differs', 3, count_differs)
  call enter('barrier_left_out', 3, barrier_left_out)
  call enter('request_never_completed', 2, request_never_completed)
  call enter('neighbour_beyond_the_end', 3, neighbour_beyond_the_end)
  call enter('shapes_that_fit', 3, shapes_that_fit)
end subroutine
