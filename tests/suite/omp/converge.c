// A loop whose end depends on the data: Newton's method on many equations until all have converged. How often it ran is
// what it prints.
// phases: printed
#include <math.h>
#include <stdio.h>

enum { N = 1000000 };
static double x[N];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) x[i] = 1.0;
  double change = 1.0;
  int iterations = 0;
  while (change > 1e-12) {
    change = 0.0;
#pragma omp parallel for reduction(max : change)
    for (int i = 0; i < N; i++) {
      // Half a step at a time: slow, so that there are iterations to see.
      double next = x[i] - 0.5 * (x[i] * x[i] - (2.0 + i)) / (2.0 * x[i]);
      change = fmax(change, fabs(next - x[i]) / next);
      x[i] = next;
    }
    iterations++;
  }
  printf("%d\n", iterations);
}
