! Loops as programs in Fortran have them; a word behind a line says what the plan must make of the loop that begins there.
module field
  implicit none
  integer, parameter :: n = 96, m = 4000
  real(8) :: u(n, n), f(n, n), next(n, n)
contains
  subroutine init()
    integer :: i, j
    do j = 1, n ! doall init
      do i = 1, n
        u(i, j) = 0d0
        f(i, j) = mod(i * j, 7) * 0.5d0
      end do
    end do
  end subroutine

  subroutine jacobi(err)
    real(8), intent(out) :: err
    integer :: i, j
    real(8) :: d
    err = 0d0
    do j = 2, n - 1 ! reduction jacobi
      do i = 2, n - 1
        d = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + f(i, j))
        err = max(err, abs(d - u(i, j)))
        next(i, j) = d
      end do
    end do
    u(2:n - 1, 2:n - 1) = next(2:n - 1, 2:n - 1)
  end subroutine

  subroutine seidel()
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1 ! serial seidel
        u(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + f(i, j))
      end do
    end do
  end subroutine
end module field

program main
  use field
  implicit none
  integer :: step, k, c, first
  integer :: hist(0:15)
  real(8) :: err, total
  real(8), allocatable :: v(:), w(:)
  call init()
  do step = 1, 12 ! serial steps
    call jacobi(err)
  end do
  call seidel()
  allocate (v(m), w(m))
  do k = 1, m ! doall filled
    v(k) = mod(k * 37, 1000) * 0.5d0
  end do
  do k = 1, m ! doall handed
    call double(v, k)
  end do
  total = 0
  do k = 1, m ! reduction total
    total = total + v(k) * 0.5d0
  end do
  hist = 0
  do k = 1, m ! reduction hist
    hist(mod(int(v(k)), 16)) = hist(mod(int(v(k)), 16)) + 1
  end do
  c = 0
  do k = 1, m ! reduction counted
    c = c + 1
  end do
  first = 0
  do k = 1, m ! left search
    if (v(k) > 998) then
      first = k
      exit
    end if
  end do
  w = v * 2 ! array assigned
  do k = 2, m ! serial recurrence
    v(k) = mod(v(k) + 3 * v(k - 1), 1024d0)
  end do
  print *, err, total, hist(3), c, first, sum(w), v(m), u(n / 2, n / 2)
end program main

subroutine double(v, k)
  real(8) :: v(*)
  integer :: k
  v(k) = v(k) * 2
end subroutine double
