! Loops that flang writes otherwise, since something in their body jumps; a word behind a line says what the plan must
! make of the loop that begins there.
program main
  implicit none
  integer, parameter :: n = 600
  integer :: i, j, k, m, steps(n)
  real(8) :: a(n), b(n), c(n, 8), s
  real(8), allocatable :: row(:)
  do i = 1, n ! proposed filled
    a(i) = mod(i * 37, 211) * 0.5d0
    b(i) = 0
    do j = 1, 8
      c(i, j) = i + j
    end do
  end do
  do i = 1, n ! proposed counted
    k = i
    m = 0
    do while (k > 1)
      if (mod(k, 2) == 0) then
        k = k / 2
      else
        k = 3 * k + 1
      end if
      m = m + 1
    end do
    steps(i) = m
  end do
  do i = n, 1, -2 ! proposed searched
    do j = 1, 8
      if (c(i, j) > a(i)) exit
    end do
    b(i) = b(i) + j
  end do
  s = 0
  do i = 1, n ! proposed summed
    if (a(i) > 50) goto 10
    s = s + 1
10  s = s + steps(i)
  end do
  i = 1
  do while (i <= n) ! none stepped
    b(i) = b(i) + 1
    i = i + 1
  end do
  allocate (row(8))
  do i = 1, n ! whole assigned
    row = c(i, :)
    b(i) = b(i) + row(3)
  end do
  print *, sum(a), sum(b), sum(steps), s, m, i
end program main
