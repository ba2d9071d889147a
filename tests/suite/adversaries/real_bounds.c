/* Once a directive that loses the last iteration: bounds that are no integers, which OpenMP cuts. Flags; what ends the program behind a loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 5000
double a[N];
int main(int argc, char **argv) {
  int i, last, found = 0, n = argc * 50;
  double lim = 7.0 * argc;
  (void)argv;
  for (i = 0; i < N; i++)
    a[i] = 0;
  for (i = 0; i < lim * 0.5; i++)
    a[i] = i + 1;
  for (i = 0; i < 3000; i++)
    if (a[i] > 2)
      found = 1;
  printf("%g %g %g %d\n", a[2], a[3], a[4], found);
  for (i = 0; i < sqrt(n); i++)
    a[i] = i + 5;
  for (i = 0; i < N; i++) {
    last = i * 2;
    if (last < 0) {
      fprintf(stderr, "%d\n", i);
      abort();
    }
    a[i] += last;
  }
  for (i = 0; i < N; i++) {
    if (a[i] < 0) {
      puts("negative");
      exit(3);
    }
    n += (int)a[i] % 3;
  }
  printf("%g %g %g %d %d\n", a[6], a[7], a[8], last, n);
  exit(0);
}
