/* Exceptions of floating-point numbers are each thread's own. */
#include <stdio.h>
#include <fenv.h>
#define N 2000
double a[N], c[N];
int main(void){ int i; volatile double z = 0; feclearexcept(FE_ALL_EXCEPT);
 for (i = 0; i < N; i++) a[i] = N - 1 - i;
 for (i = 0; i < N; i++)
  c[i] = 1 / a[i];
 printf("%d\n", fetestexcept(FE_DIVBYZERO) != 0); return 0; }
