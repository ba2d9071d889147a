// A loop of 50 iterations inside one parallel region: no fork and join between them.
// phases: 50
#include <stdio.h>

enum { N = 1000000, ITERATIONS = 50 };
static double a[N], b[N];

int main(void) {
  double last = 0.0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) a[i] = i % 13;
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
#pragma omp for
      for (int i = 1; i < N - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
#pragma omp for schedule(dynamic, 25000)
      for (int i = 1; i < N - 1; i++) a[i] = b[i] * (2.0 - b[i] / 13.0);
#pragma omp single
      last = a[N / 2];
    }
  }
  printf("%.6f\n", last);
}
