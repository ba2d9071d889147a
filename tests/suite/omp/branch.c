// 60 steps, each tenth with an analysis besides.
// phases: 60
#include <stdio.h>

enum { N = 600000, STEPS = 60 };
static double a[N];

int main(void) {
  double mean = 0.0;
  for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) a[i] = 0.5 * a[i] + i % (step + 2);
#pragma omp parallel for
    for (int i = 0; i < N; i++) a[i] = a[i] / (1.0 + a[i] * a[i]);
    if (step % 10 == 9) {
      mean = 0.0;
#pragma omp parallel for reduction(+ : mean)
      for (int i = 0; i < N; i++) mean += a[i] / N;
    }
  }
  printf("%.6f\n", mean);
}
