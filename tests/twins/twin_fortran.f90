! What twin.h is for programs in Fortran.
module twin
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: large = 262144
  integer(c_int), bind(C, name='rank') :: rank
  integer(c_int), bind(C, name='size') :: ranks
  logical(c_bool), bind(C, name='wrong') :: wrong

  interface
    subroutine twin_register(name, ranks, body) bind(C)
      import
      type(c_ptr), value :: name
      integer(c_int), value :: ranks
      type(c_funptr), value :: body
    end subroutine
  end interface

contains

  subroutine enter(name, ranks, body)
    character(len=*), intent(in) :: name
    integer, intent(in) :: ranks
    external :: body
    character(kind=c_char), pointer :: kept(:)
    integer :: i
    allocate (kept(len(name) + 1))
    do i = 1, len(name)
      kept(i) = name(i:i)
    end do
    kept(len(name) + 1) = c_null_char
    call twin_register(c_loc(kept), ranks, c_funloc(body))
  end subroutine
end module
