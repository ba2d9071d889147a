// No phases: four regions one after the other.
// phases: none
#include <stdio.h>

enum { N = 2000000 };
static double a[N];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = i % 17;
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = a[i] * a[i] + 1.0;
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += a[i];
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] /= sum;
  printf("%.6f\n", a[N - 1] * N);
}
