! One rank makes a barrier in the tenth step that the others do not make. With --fixed it does not.
#include "binding.fh"

subroutine advance(rank, step, fixed)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank, step
  logical, intent(in) :: fixed
  integer :: world, ierror
  real :: residual(4)
  residual = real(rank + step)
  call MPI_Comm_size(MPI_COMM_WORLD, world, ierror)
  if (step == 10 .and. rank == world - 2 .and. .not. fixed) then
    call MPI_Barrier(MPI_COMM_WORLD, ierror) ! the stray call
  end if
  call MPI_Allreduce(MPI_IN_PLACE, residual, 4, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, ierror)
end subroutine

program stray_barrier
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: rank, step, ierror
  character(len=16) :: argument
  call get_command_argument(1, argument)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do step = 1, 20
    call advance(rank, step, argument == '--fixed')
  end do
  call MPI_Finalize(ierror)
end program
