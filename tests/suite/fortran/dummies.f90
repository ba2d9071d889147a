! Loops over what a procedure gets from its caller, who has it before and behind them; behind a line stand the clauses
! that the plan must propose for the loop that begins there.
module dummies
  implicit none
contains
  subroutine columns(a, lda, n, x) ! as BLAS has them
    integer :: lda, n, i, j
    real(8) :: a(lda, *), x
    do j = 1, n ! clauses
      do i = 1, n
        a(i, j) = a(i, j) + x
      end do
    end do
  end subroutine

  subroutine sized(a)
    real(8) :: a(120, 120)
    integer :: i, j
    do j = 1, 120 ! clauses
      do i = 1, 120
        a(i, j) = a(i, j) * 2
      end do
    end do
  end subroutine

  subroutine numbers(a, n, last)
    integer :: n, i, j
    real(8) :: a(n, n), last, t
    do j = 1, n ! clauses private(t) lastprivate(last)
      last = j * 0.5d0
      t = last + 1
      do i = 1, n
        a(i, j) = a(i, j) + t
      end do
    end do
  end subroutine

  subroutine automatic(a, n)
    integer :: n, i, j
    real(8) :: a(n, n), w(n)
    do j = 1, n ! clauses firstprivate(w)
      do i = 1, n
        w(i) = a(i, j) + j
      end do
      do i = 1, n
        a(i, j) = w(n + 1 - i) * 2
      end do
    end do
  end subroutine

  subroutine scratch(a, w)
    real(8) :: a(120, 120), w(120)
    integer :: i, j
    do j = 1, 120 ! none
      do i = 1, 120
        w(i) = a(i, j) + j
      end do
      do i = 1, 120
        a(i, j) = w(121 - i) * 0.25d0
      end do
    end do
  end subroutine
end module dummies

program main
  use dummies
  implicit none
  real(8) :: a(120, 120), last, w(120)
  a = 1
  call columns(a, 120, 120, 3d0)
  call sized(a)
  call numbers(a, 120, last)
  call automatic(a, 120)
  call scratch(a, w)
  print *, sum(a), a(7, 9), last, w(5)
end program main
