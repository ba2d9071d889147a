// The structure of NAS CG: an inverse power method whose every iteration solves a sparse symmetric system with 25 steps of
// conjugate gradients. One iteration before the timed ones touches all data and takes another path, then there are 75.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ROWS
#define ROWS 700
#endif
enum { N = ROWS, NONZERO = 7, ITERATIONS = 75, STEPS = 25 };

static int row[N + 1], column[N * (2 * NONZERO + 1)];
static double value[N * (2 * NONZERO + 1)], x[N], z[N], p[N], q[N], r[N];

static unsigned state = 314159265;
static unsigned draw(void) { return state = state * 1664525u + 1013904223u; }

// A symmetric matrix with a slightly dominant, uneven diagonal: couplings at NONZERO fixed distances.
static void make_matrix(void) {
  int distance[NONZERO];
  for (int k = 0; k < NONZERO; k++) distance[k] = 1 + (int)(draw() >> 8) % (N / 2 - 1);
  int next = 0;
  for (int i = 0; i < N; i++) {
    row[i] = next;
    column[next] = i;
    value[next++] = 2.7 + 0.1 * (i % 17);
    for (int k = 0; k < NONZERO; k++) {
      column[next] = (i + distance[k]) % N;
      value[next++] = -0.5 / (k + 1);
      column[next] = (i + N - distance[k]) % N;
      value[next++] = -0.5 / (k + 1);
    }
  }
  row[N] = next;
}

static double rho, d, sum;

static double conj_grad(void) {
  rho = 0.0;
  sum = 0.0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : rho)
    for (int j = 0; j < N; j++) {
      q[j] = 0.0;
      z[j] = 0.0;
      r[j] = x[j];
      p[j] = r[j];
      rho += r[j] * r[j];
    }
    for (int step = 0; step < STEPS; step++) {
      double rho0 = rho;
#pragma omp barrier
#pragma omp single
      {
        d = 0.0;
        rho = 0.0;
      }
#pragma omp for reduction(+ : d)
      for (int j = 0; j < N; j++) {
        double product = 0.0;
        for (int k = row[j]; k < row[j + 1]; k++) product += value[k] * p[column[k]];
        q[j] = product;
        d += p[j] * product;
      }
      double alpha = rho0 / d;
#pragma omp for reduction(+ : rho)
      for (int j = 0; j < N; j++) {
        z[j] += alpha * p[j];
        r[j] -= alpha * q[j];
        rho += r[j] * r[j];
      }
      double beta = rho / rho0;
#pragma omp for
      for (int j = 0; j < N; j++) p[j] = r[j] + beta * p[j];
    }
#pragma omp for reduction(+ : sum)
    for (int j = 0; j < N; j++) {
      double product = 0.0;
      for (int k = row[j]; k < row[j + 1]; k++) product += value[k] * z[column[k]];
      double difference = x[j] - product;
      sum += difference * difference;
    }
  }
  return sqrt(sum);
}

int main(void) {
  make_matrix();
#pragma omp parallel for
  for (int j = 0; j < N; j++) x[j] = 1.0;

  // The iteration before the timed ones.
  conj_grad();
  double zz = 0.0;
#pragma omp parallel for reduction(+ : zz)
  for (int j = 0; j < N; j++) zz += z[j] * z[j];
  zz = 1.0 / sqrt(zz);
#pragma omp parallel for
  for (int j = 0; j < N; j++) x[j] = zz * z[j];
#pragma omp parallel for
  for (int j = 0; j < N; j++) x[j] = 1.0;

  double zeta = 0.0, residual = 0.0;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    residual = conj_grad();
    double xz = 0.0;
    zz = 0.0;
#pragma omp parallel for reduction(+ : xz, zz)
    for (int j = 0; j < N; j++) {
      xz += x[j] * z[j];
      zz += z[j] * z[j];
    }
    zeta = 20.0 + 1.0 / xz;
    zz = 1.0 / sqrt(zz);
#pragma omp parallel for
    for (int j = 0; j < N; j++) x[j] = zz * z[j];
  }
  printf("zeta %.6f residual %.1e\n", zeta, residual);
  return residual < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
