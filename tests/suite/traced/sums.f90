! Formatted output of numbers: the runtime's conversions keep all registers busy.
program sums
  real(8) :: terms(1000)
  integer :: i
  do i = 1, size(terms)
    terms(i) = 1.0d0 / i
  end do
  do i = 1, size(terms), 97
    print *, i, sum(terms(:i)), terms(i)
  end do
end program
