! Every kind of construct, four times, for flang: what a watcher sees of each stands in `tests/omp.rs`.
module kinds_of
  use omp_lib
  implicit none
  integer, parameter :: n = 1000
  double precision :: a(n), total = 0
  integer :: adder = 0
  ! One for each kind of exclusion: they do not exclude each other.
  integer :: entered(4) = 0
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
contains
  ! 8 tasks and 4 taskwaits for m = 4.
  recursive integer function fibonacci(m) result(r)
    integer, intent(in) :: m
    integer :: x, y
    r = m
    if (m < 2) return
    !$omp task shared(x)
    x = fibonacci(m - 1)
    !$omp end task
    !$omp task shared(y)
    y = fibonacci(m - 2)
    !$omp end task
    !$omp taskwait
    r = x + y
  end function

  subroutine worksharing()
    integer :: i
    !$omp do schedule(static)
    do i = 1, n
      a(i) = i
    end do
    !$omp end do
    !$omp do schedule(dynamic, 100)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end do
    !$omp do schedule(guided)
    do i = 1, n
      a(i) = a(i) * 0.5
    end do
    !$omp end do nowait
    !$omp barrier
    !$omp sections
    !$omp section
    a(1) = 1
    !$omp section
    a(2) = 1
    !$omp section
    a(3) = 1
    !$omp end sections
    !$omp do reduction(+ : total)
    do i = 1, n
      total = total + a(i)
    end do
    !$omp end do
    !$omp do ordered
    do i = 1, 20
      !$omp ordered
      adder = adder + i
      !$omp end ordered
    end do
    !$omp end do
  end subroutine

  subroutine exclusion()
    !$omp single
    a(4) = 1
    !$omp end single
    !$omp master
    a(5) = 1
    !$omp end master
    !$omp critical (alpha)
    entered(1) = entered(1) + 1
    !$omp end critical (alpha)
    !$omp critical (beta)
    entered(2) = entered(2) + 1
    !$omp end critical (beta)
    !$omp atomic
    adder = adder + 1
    call omp_set_lock(lock)
    entered(3) = entered(3) + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    call omp_set_nest_lock(nest)
    entered(4) = entered(4) + 1
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
  end subroutine

  subroutine tasking()
    integer :: i
    !$omp single
    !$omp taskgroup
    !$omp task
    adder = adder + 1
    !$omp end task
    !$omp end taskgroup
    !$omp taskloop grainsize(100)
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !$omp end taskloop
    adder = adder + fibonacci(4)
    !$omp end single
  end subroutine
end module

program kinds
  use kinds_of
  implicit none
  integer :: round
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  call omp_set_max_active_levels(2)
  call omp_set_dynamic(.false.)
  do round = 0, 3
    !$omp parallel num_threads(2)
    call worksharing()
    call exclusion()
    call tasking()
    !$omp end parallel
    !$omp parallel num_threads(2)
    !$omp parallel num_threads(2)
    !$omp atomic
    entered(1) = entered(1) + 1
    !$omp end parallel
    !$omp end parallel
    !$omp parallel num_threads(1 + round)
    !$omp atomic
    entered(2) = entered(2) + 1
    !$omp end parallel
  end do
  print '(i0)', sum(entered)
end program
