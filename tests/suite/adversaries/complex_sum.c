/* Once a directive that does not build: reduction(+:z) of a `double complex`: with clang-22 -fopenmp the link fails (undefined reference to __atomic_load,
   __atomic_compare_exchange), it needs -latomic, of which nothing is said. (`complete`) */
#include <stdio.h>
#include <complex.h>
#define N 3000
double a[N], b[N];
int main(void){ int i; double complex z = 0;
 for (i = 0; i < N; i++) { a[i] = i; b[i] = N - i; }

 for (i = 0; i < N; i++) /*P*/
  z += a[i] + b[i]*I;
 printf("%g %g\n", creal(z), cimag(z)); return 0; }
