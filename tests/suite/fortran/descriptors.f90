! The same loop over arrays of every kind, and loops that change the descriptors of what they access.
module arrays
  implicit none
  real(8), allocatable :: g(:), h(:)
  type pair
    real(8), allocatable :: a(:), b(:)
  end type
contains
  subroutine explicit(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n)
    integer :: i
    do i = 1, n ! same explicit
      y(i) = y(i) * 0.5d0 + x(i)
    end do
  end subroutine
  subroutine pointers(x, y)
    real(8), pointer :: x(:), y(:)
    integer :: i
    do i = 1, size(x) ! strided pointers
      y(i) = y(i) * 0.5d0 + x(i)
    end do
  end subroutine
  subroutine shapes(x, y)
    real(8), intent(in) :: x(:)
    real(8), intent(inout) :: y(:)
    integer :: i
    do i = 1, size(x) ! strided shapes
      y(i) = y(i) * 0.5d0 + x(i)
    end do
  end subroutine
  subroutine components(s)
    type(pair), intent(inout) :: s
    integer :: i
    do i = 1, size(s%a) ! same components
      s%b(i) = s%b(i) * 0.5d0 + s%a(i)
    end do
  end subroutine
  subroutine many(s)
    type(pair), intent(inout) :: s(:)
    integer :: i, k
    do k = 1, size(s)
      do i = 1, size(s(k)%a) ! same many
        s(k)%b(i) = s(k)%b(i) * 0.5d0 + s(k)%a(i)
      end do
    end do
  end subroutine
  subroutine of_module()
    integer :: i
    do i = 1, size(g) ! same module
      h(i) = h(i) * 0.5d0 + g(i)
    end do
  end subroutine
  real(8) function nothing(n, z)
    integer, intent(in) :: n
    real(8), allocatable :: z(:)
    integer :: i
    nothing = 0
    do i = 1, n
      nothing = nothing + z(i)
    end do
  end function
end module
program descriptors
  use arrays
  implicit none
  integer, parameter :: n = 1000
  real(8), allocatable :: x(:), y(:), z(:)
  real(8), pointer :: q(:), r(:)
  type(pair), target :: s, list(3)
  real(8) :: total
  integer :: i
  allocate (x(n), y(n), q(n), r(n))
  do i = 1, n
    x(i) = i
  end do
  y = x
  q = x
  r = x
  g = x
  h = x
  s%a = x
  s%b = x
  do i = 1, 3
    list(i)%a = x * i
    list(i)%b = y
  end do
  call explicit(n, x, y)
  call pointers(q, r)
  call shapes(x, y)
  call components(s)
  call many(list)
  call of_module()
  do i = 1, n ! same local
    y(i) = y(i) * 0.5d0 + x(i)
  end do
  total = sum(y) + sum(r) + sum(h) + sum(s%b) + sum(list(2)%b) + nothing(0, z)
  do i = 1, 50
    if (allocated(z)) deallocate (z)
    allocate (z(i:i + 1))
    z(i) = i
    z(i + 1) = z(i) * 0.5d0
    total = total + z(i + 1) + lbound(z, 1)
  end do
  do i = 1, 3
    r => list(i)%a
    total = total + r(i) + size(r)
    r => r(2:n:2)
    total = total + r(i) + size(r)
  end do
  do i = 1, 5
    y = [y, total]
    total = total + y(size(y)) * 0.25d0
  end do
  print *, total, size(y)
end program
