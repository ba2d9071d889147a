// 12 marked phases of two rounds each: marks win over the loop of 24 rounds.
// phases: 12
#include <parascan.h>
#include <stdio.h>

enum { N = 100000 };
static double a[N];

int main(void) {
  for (int round = 0; round < 24; round++) {
    if (round % 2 == 0) parascan_iteration("pair");
#pragma omp parallel for
    for (int i = 0; i < N; i++) a[i] = a[i] * 0.5 + round;
  }
  parascan_phase_end("pair");
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] += 1.0;
  printf("%.3f\n", a[N - 1]);
}
