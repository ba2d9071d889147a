// A few loops over much memory, of half a second each.  Arguments: GB, sweeps.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  size_t n = (size_t)(argc > 1 ? atof(argv[1]) * 1e9 / 8 : 1e8);
  int rounds = argc > 2 ? atoi(argv[2]) : 4;
  double *x = malloc(n * 8);
  if (!x) return 3;
  for (size_t i = 0; i < n; i++) x[i] = i & 1023;
  for (int r = 0; r < rounds; r++)
    for (size_t i = 1; i + 1 < n; i += 2) x[i] = 0.25 * (x[i - 1] + x[i + 1]) + 0.5 * x[i];
  double s = 0;
  for (size_t i = 0; i < n; i++) s += x[i];
  printf("%g\n", s);
}
