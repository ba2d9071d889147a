! The structure of NAS CG, as cg.c.
module cg
  implicit none
  integer, parameter :: n = 700, nonzero = 7, iterations = 75, steps = 25
  integer :: row(n + 1), column(n * (2 * nonzero + 1))
  double precision :: value(n * (2 * nonzero + 1)), x(n), z(n), p(n), q(n), r(n)
contains
  subroutine make_matrix()
    integer :: i, k, next, distance
    next = 1
    do i = 1, n
      row(i) = next
      column(next) = i
      value(next) = 2.7d0 + 0.1d0 * mod(i - 1, 17)
      next = next + 1
      do k = 1, nonzero
        distance = mod(k * k * 37, n / 2 - 1) + 1
        column(next) = mod(i - 1 + distance, n) + 1
        value(next) = -0.5d0 / k
        column(next + 1) = mod(i - 1 + n - distance, n) + 1
        value(next + 1) = -0.5d0 / k
        next = next + 2
      end do
    end do
    row(n + 1) = next
  end subroutine

  subroutine conj_grad(norm)
    double precision, intent(out) :: norm
    double precision :: rho, rho0, d, total, alpha, beta, product
    integer :: j, k, step
    rho = 0.0d0
    total = 0.0d0
    !$omp parallel default(shared) private(j, k, step, rho0, alpha, beta, product)
    !$omp do reduction(+: rho)
    do j = 1, n
      q(j) = 0.0d0
      z(j) = 0.0d0
      r(j) = x(j)
      p(j) = r(j)
      rho = rho + r(j) * r(j)
    end do
    !$omp end do
    do step = 1, steps
      rho0 = rho
      !$omp barrier
      !$omp single
      d = 0.0d0
      rho = 0.0d0
      !$omp end single
      !$omp do reduction(+: d)
      do j = 1, n
        product = 0.0d0
        do k = row(j), row(j + 1) - 1
          product = product + value(k) * p(column(k))
        end do
        q(j) = product
        d = d + p(j) * product
      end do
      !$omp end do
      alpha = rho0 / d
      !$omp do reduction(+: rho)
      do j = 1, n
        z(j) = z(j) + alpha * p(j)
        r(j) = r(j) - alpha * q(j)
        rho = rho + r(j) * r(j)
      end do
      !$omp end do
      beta = rho / rho0
      !$omp do
      do j = 1, n
        p(j) = r(j) + beta * p(j)
      end do
      !$omp end do
    end do
    !$omp do reduction(+: total)
    do j = 1, n
      product = 0.0d0
      do k = row(j), row(j + 1) - 1
        product = product + value(k) * z(column(k))
      end do
      total = total + (x(j) - product) ** 2
    end do
    !$omp end do
    !$omp end parallel
    norm = sqrt(total)
  end subroutine
end module

program main
  use cg
  implicit none
  double precision :: zz, xz, zeta, norm
  integer :: j, iteration
  call make_matrix()
  !$omp parallel do
  do j = 1, n
    x(j) = 1.0d0
  end do
  !$omp end parallel do

  ! The iteration before the timed ones.
  call conj_grad(norm)
  zz = 0.0d0
  !$omp parallel do reduction(+: zz)
  do j = 1, n
    zz = zz + z(j) * z(j)
  end do
  !$omp end parallel do
  zz = 1.0d0 / sqrt(zz)
  !$omp parallel do
  do j = 1, n
    x(j) = zz * z(j)
  end do
  !$omp end parallel do
  !$omp parallel do
  do j = 1, n
    x(j) = 1.0d0
  end do
  !$omp end parallel do

  zeta = 0.0d0
  do iteration = 1, iterations
    call conj_grad(norm)
    xz = 0.0d0
    zz = 0.0d0
    !$omp parallel do reduction(+: xz, zz)
    do j = 1, n
      xz = xz + x(j) * z(j)
      zz = zz + z(j) * z(j)
    end do
    !$omp end parallel do
    zeta = 20.0d0 + 1.0d0 / xz
    zz = 1.0d0 / sqrt(zz)
    !$omp parallel do
    do j = 1, n
      x(j) = zz * z(j)
    end do
    !$omp end parallel do
  end do
  if (.not. norm < 1.0d-3) error stop 'residual too large'
  print '(a, f10.6, a, es9.1)', 'zeta ', zeta, ' residual ', norm
end program
