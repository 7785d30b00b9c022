! Processes of other worlds.
#include "binding.fh"

subroutine spawned()
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: ierr
  COMM_T :: parent
  call MPI_Comm_get_parent(parent, ierr)
  call MPI_Barrier(parent, ierr)
  call MPI_Comm_disconnect(parent, ierr)
end subroutine

subroutine spawns()
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: ierr
  character(len=1024) :: own(1)
  character(len=8) :: argv(2), all_argv(1, 2)
  COMM_T :: children
  INFO_T :: info(1)
  call get_command_argument(0, own(1))
  argv = ['spawned ', '        ']
  all_argv(1, :) = argv
  info(1) = MPI_INFO_NULL
  call MPI_Comm_spawn(own(1), argv, 1, MPI_INFO_NULL, 1, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, ierr)
  call MPI_Barrier(children, ierr)
  call MPI_Comm_disconnect(children, ierr)
  call MPI_Comm_spawn_multiple(1, own, all_argv, [1], info, 0, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, ierr)
  call MPI_Barrier(children, ierr)
  call MPI_Comm_disconnect(children, ierr)
end subroutine

! The two ranks of one world meet at a port.
subroutine port(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer, parameter :: length = MPI_MAX_PORT_NAME
  integer :: ierr
  character(len=length) :: name
  COMM_T :: inter
  if (rank == 0) then
    call MPI_Open_port(MPI_INFO_NULL, name, ierr)
    call MPI_Send(name, length, MPI_CHARACTER, 1, 0, MPI_COMM_WORLD, ierr)
    call MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, ierr)
  else
    call MPI_Recv(name, length, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, ierr)
  end if
  call MPI_Barrier(inter, ierr)
  call MPI_Comm_disconnect(inter, ierr)
end subroutine

subroutine aborts(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Abort(MPI_COMM_WORLD, 9, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
end subroutine
