/* Once a directive that does not build: reduction(+:z) of a `float complex`, whose eight bytes are aligned to four: with clang-22 -fopenmp the link fails
   (undefined reference to __atomic_load, __atomic_compare_exchange). (`complete`) */
#include <stdio.h>
#include <complex.h>
static float a[1000];
int main(void) {
  float complex s = 0, p = 1;
  for (int i = 0; i < 1000; i++)
    a[i] = i % 7;
  for (int i = 0; i < 1000; i++)
    s += a[i] * I;
  for (int i = 0; i < 1000; i++)
    p *= 1 + a[i] * 0.0001f * I;
  printf("%g %g\n", cimagf(s), cimagf(p));
  return 0;
}
