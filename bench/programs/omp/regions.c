// N parallel regions of about 100 us: a loop, a reduction, a critical region each; prints the seconds they take.
// Usage: regions THREADS N
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  int threads = atoi(words[1]);
  long n = atol(words[2]);
  double sum = 0.0, largest = 0.0, start = now();
  for (long round = 0; round < n; round++) {
#pragma omp parallel num_threads(threads)
    {
      double mine = 0.0;
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < 12500 * threads; i++) sum += mine = sqrt(i + (double)round + mine);
#pragma omp critical
      if (mine > largest) largest = mine;
    }
  }
  printf("%.6f\n", now() - start);
  fprintf(stderr, "%g %g\n", sum, largest);
}
