! Fortran with OpenMP: 9 phases marked by comments.
! phases: 9
program steps
  implicit none
  integer :: step, i
  real :: v(1000)
  v = 1.0
  do step = 1, 9
    !$ompp phase start "it's a step"
    call scale(step)
    !$omp parallel do num_threads(2)
    do i = 1, 1000
      v(i) = v(i) * 0.5
    end do
    !$omp end parallel do
    !$OMPP phase end "it's a step"
  end do
  print '(f0.4)', v(3)
contains
  subroutine scale(step)
    integer, intent(in) :: step
    v = v + step
  end subroutine scale
end program steps
