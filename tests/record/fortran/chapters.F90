! Every recorded call once or more, on two ranks, grouped as in the standard. One call stands on one line: the test looks
! each recorded line up in this file.
#include "binding.fh"

subroutine point_to_point(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: other, ierr, x(4), y(4), bytes
  ADDRESS_T :: address
  character, target :: room(4096)
  STATUS_T(status)
  logical :: flag
  MESSAGE_T :: message
  REQUEST_T :: request
  other = 1 - rank
  x = rank
  if (rank == 0) then
    call MPI_Buffer_attach(room, 4096, ierr)
    call MPI_Send(x, 4, MPI_INTEGER, other, 1, MPI_COMM_WORLD, ierr)
    call MPI_Ssend(x, 3, MPI_INTEGER, other, 2, MPI_COMM_WORLD, ierr)
    call MPI_Bsend(x, 2, MPI_INTEGER, other, 3, MPI_COMM_WORLD, ierr)
    call MPI_Recv(y, 0, MPI_INTEGER, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Rsend(x, 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, ierr)
    call MPI_Send(x, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, ierr)
    call MPI_Send(x, 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, ierr)
  else
    call MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status, ierr)
    call MPI_Recv(y, 4, MPI_INTEGER, other, 1, MPI_COMM_WORLD, status, ierr)
    call MPI_Recv(y, 4, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(y, 4, MPI_INTEGER, other, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(y, 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(x, 0, MPI_INTEGER, other, 9, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Mprobe(other, 5, MPI_COMM_WORLD, message, status, ierr)
    call MPI_Mrecv(y, 1, MPI_INTEGER, message, status, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(other, 6, MPI_COMM_WORLD, flag, message, status, ierr)
    end do
    call MPI_Imrecv(y, 1, MPI_INTEGER, message, request, ierr)
    call MPI_Wait(request, status, ierr)
  end if
  call MPI_Iprobe(other, 77, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
  call MPI_Sendrecv(x, 4, MPI_INTEGER, other, 7, y, 4, MPI_INTEGER, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Sendrecv_replace(x, 4, MPI_INTEGER, other, 8, other, 8, MPI_COMM_WORLD, status, ierr)
  call MPI_Send(x, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_Buffer_detach(address, bytes, ierr)
end subroutine

subroutine nonblocking(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: other, ierr, x(8), index, indices(8), done, bytes
  ADDRESS_T :: address
  character, target :: room(4096)
  STATUS_T(status)
  logical :: flag
  REQUEST_T :: requests(8), first, second, third
  other = 1 - rank
  x = rank
  if (rank == 0) then
    call MPI_Buffer_attach(room, 4096, ierr)
    call MPI_Recv(x(8), 0, MPI_INTEGER, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    ! Messages so short that they are sent at once: all have one and the same handle, and are waited for out of order.
    call MPI_Isend(x(1), 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, first, ierr)
    call MPI_Isend(x(2), 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, second, ierr)
    call MPI_Isend(x(3), 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, third, ierr)
    call MPI_Wait(second, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(third, status, ierr)
    call MPI_Wait(first, status, ierr)
    call MPI_Ibsend(x(1), 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irsend(x(2), 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Issend(x(3), 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Buffer_detach(address, bytes, ierr)
  else
    call MPI_Irecv(x(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(x(2), 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Irecv(x(3), 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Irecv(x(4), 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Irecv(x(5), 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(5), ierr)
    call MPI_Irecv(x(6), 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(6), ierr)
    call MPI_Send(x(8), 0, MPI_INTEGER, other, 9, MPI_COMM_WORLD, ierr)
    call MPI_Waitany(6, requests, index, status, ierr)
    call MPI_Waitsome(6, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(6, requests, flag, MPI_STATUSES_IGNORE, ierr)
    end do
  end if
  call MPI_Irecv(x(1), 1, MPI_INTEGER, other, 50, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
  call MPI_Testany(1, requests, index, flag, MPI_STATUS_IGNORE, ierr)
  call MPI_Testsome(1, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
  call MPI_Cancel(requests(1), ierr)
  call MPI_Wait(requests(1), status, ierr)
  call MPI_Irecv(x(1), 1, MPI_INTEGER, MPI_PROC_NULL, 50, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Request_free(requests(1), ierr)
end subroutine

subroutine persistent(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: other, ierr, x(8), i, bytes
  ADDRESS_T :: address
  character, target :: room(4096)
  REQUEST_T :: requests(4)
  other = 1 - rank
  x = rank
  if (rank == 0) then
    call MPI_Buffer_attach(room, 4096, ierr)
    call MPI_Send_init(x(1), 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Bsend_init(x(2), 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Ssend_init(x(3), 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Rsend_init(x(4), 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Recv(x(8), 0, MPI_INTEGER, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, 4
      call MPI_Start(requests(i), ierr)
    end do
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Buffer_detach(address, bytes, ierr)
  else
    do i = 1, 4
      call MPI_Recv_init(x(i), 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    call MPI_Startall(4, requests, ierr)
    call MPI_Send(x(8), 0, MPI_INTEGER, other, 9, MPI_COMM_WORLD, ierr)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
  end if
  do i = 1, 4
    call MPI_Request_free(requests(i), ierr)
  end do
end subroutine

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

subroutine steps(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, x
  x = rank
  call MPI_Pcontrol(536870912 + 3)
  call MPI_Bcast(x, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Pcontrol(1073741824 + 2)
  call MPI_Bcast(x, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
end subroutine

program chapters
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: rank, provided, ierr
  character(len=32) :: chapter
  call get_command_argument(1, chapter)
  if (chapter == 'threads') then
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  else
    call MPI_Init(ierr)
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  select case (chapter)
  case ('point_to_point')
    call point_to_point(rank)
  case ('nonblocking')
    call nonblocking(rank)
  case ('persistent')
    call persistent(rank)
  case ('collectives')
    call collectives(rank)
  case ('nonblocking_collectives')
    call nonblocking_collectives(rank)
  case ('communicators')
    call communicators(rank)
  case ('steps')
    call steps(rank)
  end select
  call MPI_Finalize(ierr)
end program
