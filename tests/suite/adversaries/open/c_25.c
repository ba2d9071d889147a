/* Wrong directive (floating-point environment): `#pragma omp parallel for` (complete); exception flags are per thread, fetestexcept() after the loop no longer sees what the
   other threads raised. */
#include <stdio.h>
#include <fenv.h>
#define N 2000
double a[N], c[N];
int main(void){ int i; volatile double z = 0; feclearexcept(FE_ALL_EXCEPT);
 for (i = 0; i < N; i++) a[i] = N - 1 - i;
 for (i = 0; i < N; i++) /*S*/
  c[i] = 1 / a[i];
 printf("%d\n", fetestexcept(FE_DIVBYZERO) != 0); return 0; }
