// Time-stepping: 40 steps of two sweeps over a grid and a sum, after an initialisation that does the same sweep once.
// phases: 40
#include <stdio.h>

enum { N = 1200, STEPS = 40 };
static double a[N][N], b[N][N];

static void sweep(double (*to)[N], double (*from)[N]) {
#pragma omp parallel for
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = (i * 7 + j * 3) % 11;
  double energy = 0.0;
  for (int step = 0; step < STEPS; step++) {
    sweep(b, a);
    sweep(a, b);
    energy = 0.0;
#pragma omp parallel for reduction(+ : energy)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) energy += a[i][j] * a[i][j];
  }
  printf("%.6f\n", energy);
}
