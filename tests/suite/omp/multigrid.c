// Multigrid in one dimension: 20 V-cycles over 6 levels by recursion. No region runs once in each cycle: only the order
// of regions, which is that of the levels, shows where a cycle begins.
// phases: 20
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifndef SIZES
#define SIZES LEVELS = 6, FINEST = 1 << 17, CYCLES = 20
#endif
enum { SIZES };
static double u[LEVELS][FINEST + 1], f[LEVELS][FINEST + 1], scratch[FINEST + 1];
static void smooth(int level, int n) {
  double *v = u[level], *right = f[level];
  for (int sweep = 0; sweep < 2; sweep++) {
#pragma omp parallel for
    for (int i = 1; i < n; i++) scratch[i] = v[i] + 0.6 * 0.5 * (v[i - 1] + v[i + 1] - 2.0 * v[i] + right[i]);
    memcpy(v + 1, scratch + 1, (n - 1) * sizeof *v);
  }
}
static void cycle(int level, int n) {
  smooth(level, n);
  if (level + 1 == LEVELS) {
    for (int again = 0; again < 8; again++) smooth(level, n);
    return;
  }
  double *v = u[level], *right = f[level], *coarse = f[level + 1];
#pragma omp parallel for
  for (int i = 1; i < n / 2; i++) {
    double around = 0.0;
    for (int k = 2 * i - 1; k <= 2 * i + 1; k++) {
      double residual = right[k] + v[k - 1] + v[k + 1] - 2.0 * v[k];
      around += k == 2 * i ? 2.0 * residual : residual;
    }
    coarse[i] = around;
    u[level + 1][i] = 0.0;
  }
  cycle(level + 1, n / 2);
  double *correction = u[level + 1];
#pragma omp parallel for
  for (int i = 1; i < n / 2; i++) {
    v[2 * i] += correction[i];
    v[2 * i + 1] += 0.5 * (correction[i] + correction[i + 1]);
  }
  v[1] += 0.5 * correction[1];
  smooth(level, n);
}
int main(void) {
  for (int i = 0; i <= FINEST; i++) f[0][i] = sin(3.0 * i / FINEST) / FINEST / FINEST;
  for (int n = 0; n < CYCLES; n++) cycle(0, FINEST);
  double norm = 0.0;
  for (int i = 1; i < FINEST; i++) {
    double residual = f[0][i] + u[0][i - 1] + u[0][i + 1] - 2.0 * u[0][i];
    norm += residual * residual;
  }
  printf("%d\n", norm < 1e-10);
}
