// Minima and maxima that begin with a NaN ("no value yet"), and find none, or nothing but infinite numbers: clang's reductions begin with the
// largest finite one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double v[4096], global = NAN;
static float f[4096];
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 3000, i, count = 0;
  for (i = 0; i < n; i++) {
    v[i] = argc > 2 ? i % 11 : -INFINITY;
    f[i] = argc > 2 ? i % 13 : (float)NAN;
  }
  double most = NAN, least = __builtin_nan("");
  float narrow = NAN;
  for (i = 0; i < n; i++)
    most = fmax(most, v[i]);
  for (i = 0; i < n; i++)
    narrow = fmaxf(narrow, f[i]);
  for (i = 0; i < n; i++) {
    least = fmin(f[i], least);
    count += v[i] > 3;
  }
  for (i = 0; i < n; i++)
    global = fmax(global, v[i]);
  printf("%g %g %g %g %d\n", most, narrow, least, global, count);
  return 0;
}
