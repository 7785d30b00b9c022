! Files. Each subroutine works in a file of its own below the folder PETRI_TEST_FILES, which is gone once it is closed.
#include "binding.fh"

subroutine open_file(name, file)
  USE_MPI
  implicit none
  INCLUDE_MPI
  character(len=*), intent(in) :: name
  FILE_T, intent(out) :: file
  character(len=1024) :: path
  integer :: mode, ierr
  call get_environment_variable('PETRI_TEST_FILES', path)
  path = trim(path)//'/'//name
  mode = ior(ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_MODE_DELETE_ON_CLOSE)
  call MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, file, ierr)
  if (ierr /= MPI_SUCCESS) stop 1
end subroutine

subroutine file_states()
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: ierr
  integer(kind=MPI_OFFSET_KIND) :: offset
  FILE_T :: file
  INFO_T :: info
  call open_file('states', file)
  offset = 4096
  call MPI_File_set_size(file, offset, ierr)
  call MPI_File_preallocate(file, offset, ierr)
  offset = 64
  call MPI_File_set_view(file, offset, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
  call MPI_File_set_atomicity(file, .true., ierr)
  call MPI_File_set_atomicity(file, .false., ierr)
  call MPI_Info_create(info, ierr)
  call MPI_File_set_info(file, info, ierr)
  call MPI_Info_free(info, ierr)
  offset = 2
  call MPI_File_seek_shared(file, offset, MPI_SEEK_SET, ierr)
  call MPI_File_sync(file, ierr)
  call MPI_File_close(file, ierr)
end subroutine

subroutine file_access(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr, x(2), y(8)
  integer(kind=MPI_OFFSET_KIND) :: first, mine
  FILE_T :: file
  REQUEST_T :: request
  x = rank
  first = 0
  mine = 8 * rank
  call open_file('access', file)
  call MPI_File_write_all(file, x, 2, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_write_at_all(file, mine, x, 2, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_write_ordered(file, x, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_seek_shared(file, first, MPI_SEEK_SET, ierr)
  call MPI_File_read_ordered(file, y, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_seek(file, first, MPI_SEEK_SET, ierr) ! In Open MPI 4.1 a nonblocking read beyond the end never ends.
  call MPI_File_read_all(file, y, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_read_at_all(file, mine, y, 2, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_iwrite_all(file, x, 1, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_File_iwrite_at_all(file, mine, x, 1, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_File_iread_all(file, y, 1, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_File_iread_at_all(file, mine, y, 1, MPI_INTEGER, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(file, ierr)
end subroutine

subroutine split_file_access(rank)
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, intent(in) :: rank
  integer :: ierr
  integer, asynchronous :: x(2), y(2)
  integer(kind=MPI_OFFSET_KIND) :: first, mine
  FILE_T :: file
  x = rank
  first = 0
  mine = 8 * rank
  call open_file('split', file)
  call MPI_File_write_all_begin(file, x, 2, MPI_INTEGER, ierr)
  call MPI_File_write_all_end(file, x, MPI_STATUS_IGNORE, ierr)
  call MPI_File_write_at_all_begin(file, mine, x, 2, MPI_INTEGER, ierr)
  call MPI_File_write_at_all_end(file, x, MPI_STATUS_IGNORE, ierr)
  call MPI_File_write_ordered_begin(file, x, 1, MPI_INTEGER, ierr)
  call MPI_File_write_ordered_end(file, x, MPI_STATUS_IGNORE, ierr)
  call MPI_File_seek_shared(file, first, MPI_SEEK_SET, ierr)
  call MPI_File_read_all_begin(file, y, 2, MPI_INTEGER, ierr)
  call MPI_File_read_all_end(file, y, MPI_STATUS_IGNORE, ierr)
  call MPI_File_read_at_all_begin(file, mine, y, 2, MPI_INTEGER, ierr)
  call MPI_File_read_at_all_end(file, y, MPI_STATUS_IGNORE, ierr)
  call MPI_File_read_ordered_begin(file, y, 1, MPI_INTEGER, ierr)
  call MPI_File_read_ordered_end(file, y, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(file, ierr)
end subroutine
