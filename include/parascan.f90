! Marks for parascan omp: phases, iterations and named regions of a Fortran program. Compile this file with the
! program; there is nothing to link. Without parascan the calls do nothing. Meaning and names are those of parascan.h.
!
!   use parascan
!   do step = 1, steps
!     call parascan_iteration('time step')
!     ...
!   end do
!   call parascan_phase_end('time step')
module parascan
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: parascan_phase_begin, parascan_phase_end, parascan_iteration, parascan_region_begin, parascan_region_end

  interface
    function dlsym(handle, symbol) bind(c, name='dlsym')
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: dlsym
    end function dlsym
  end interface

  abstract interface
    subroutine mark(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine mark
  end interface

contains

  ! Calls the collector's function with the name, if there is a collector.
  subroutine call_mark(symbol, name)
    character(len=*), intent(in) :: symbol, name
    type(c_funptr) :: found
    procedure(mark), pointer :: known
    found = dlsym(c_null_ptr, symbol // c_null_char)
    if (c_associated(found)) then
      call c_f_procpointer(found, known)
      call known(trim(name) // c_null_char)
    end if
  end subroutine call_mark

  subroutine parascan_phase_begin(name)
    character(len=*), intent(in) :: name
    call call_mark('__parascan_phase_begin', name)
  end subroutine parascan_phase_begin

  subroutine parascan_phase_end(name)
    character(len=*), intent(in) :: name
    call call_mark('__parascan_phase_end', name)
  end subroutine parascan_phase_end

  subroutine parascan_iteration(name)
    character(len=*), intent(in) :: name
    call call_mark('__parascan_iteration', name)
  end subroutine parascan_iteration

  subroutine parascan_region_begin(name)
    character(len=*), intent(in) :: name
    call call_mark('__parascan_region_begin', name)
  end subroutine parascan_region_begin

  subroutine parascan_region_end(name)
    character(len=*), intent(in) :: name
    call call_mark('__parascan_region_end', name)
  end subroutine parascan_region_end

end module parascan
