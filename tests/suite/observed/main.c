// Loops whose iterations are independent if the functions that they call are.
#include <stdio.h>

#include "callees.h"

#define N 2000

double a[N], b[N], c[N], d[N];
double calls;

// Named like a function of libm, and not harmless.
__attribute__((noinline)) static double erfc(double x) {
  calls = x;
  return x * 0.5;
}

int main(void) {
  int i;
  double s = 0;
  for (i = 0; i < N; i++)
    a[i] = i * 0.5;
  for (i = 0; i < N; i++) // pure
    b[i] = pure(a[i]);
  for (i = 0; i < N; i++) // kept
    c[i] = kept(a[i]);
  for (i = 0; i < N; i++) // namesake
    d[i] = erfc(a[i]);
  for (i = 0; i < N; i++)
    s += b[i] * c[i] + d[i];
  printf("%g %g\n", s, calls);
  return 0;
}
