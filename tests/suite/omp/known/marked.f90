! Twelve steps, marked by calls of the Fortran module, with a parallel loop each.
program marked
  use parascan
  implicit none
  integer :: step, i
  real :: total
  total = 0.0
  do step = 1, 12
    call parascan_iteration('step')
    !$omp parallel do reduction(+:total) num_threads(2)
    do i = 1, 100
      total = total + 1.0
    end do
    !$omp end parallel do
  end do
  call parascan_phase_end('step')
  print '(f0.0)', total
end program marked
