! Messages: blocking, nonblocking, persistent.
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
    ! So that there is something to test for when the one before found all.
    call MPI_Irecv(x(7), 1, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD, requests(7), ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(7, requests, flag, MPI_STATUSES_IGNORE, ierr)
    end do
  end if
  call MPI_Irecv(x(1), 1, MPI_INTEGER, other, 50, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
  call MPI_Testany(1, requests, index, flag, MPI_STATUS_IGNORE, ierr)
  call MPI_Testsome(1, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
  call MPI_Cancel(requests(1), ierr)
  call MPI_Wait(requests(1), status, ierr)
  call MPI_Irecv(x(1), 1, MPI_INTEGER, MPI_PROC_NULL, 50, MPI_COMM_WORLD, requests(1), ierr)
  ! Open MPI's binding looks at no request when the status is to be ignored.
  call MPI_Request_get_status(requests(1), flag, status, ierr)
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
