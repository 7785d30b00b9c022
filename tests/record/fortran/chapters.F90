! Every recorded call once or more, on two ranks, in chapters as the standard's. One call stands on one line: the test
! looks each recorded line up in its file.
#include "binding.fh"

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
#if defined(PETRI_PERSISTENT_COLLECTIVES)
  case ('persistent_collectives')
    call persistent_collectives(rank)
  case ('persistent_neighbors')
    call persistent_neighbors(rank)
#endif
#if defined(PETRI_MPI_4)
  case ('mpi4_messages')
    call mpi4_messages(rank)
#if !defined(PETRI_F08)
  case ('partitioned')
    call partitioned(rank)
#endif
  case ('from_groups')
    call from_groups(rank)
#endif
  case ('communicators')
    call communicators(rank)
  case ('steps')
    call steps(rank)
  case ('intercommunicators')
    call intercommunicators(rank)
  case ('neighbors')
    call neighbors(rank)
  case ('windows')
    call windows()
  case ('exposure')
    call exposure(rank)
  case ('one_sided')
    call one_sided(rank)
  case ('file_states')
    call file_states()
  case ('file_access')
    call file_access(rank)
  case ('split_file_access')
    call split_file_access(rank)
  case ('spawns')
    call spawns()
  case ('spawned')
    call spawned()
  case ('port')
    call port(rank)
  case ('aborts')
    call aborts(rank)
  end select
  call MPI_Finalize(ierr)
end program
