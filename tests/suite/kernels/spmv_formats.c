/* Sparse matrix times vector: coordinates, columns, rows, diagonals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 700
#define NNZ 5000
static int ri[NNZ], ci[NNZ], cp[N + 1], rowidx[NNZ], fill[N];
static double va[NNZ], cv[NNZ], x[N], y[N], z[N], w[N], band[5][N];

static void coordinates(void) {
  int k;
  memset(y, 0, sizeof y);
  for (k = 0; k < NNZ; k++)
    y[ri[k]] += va[k] * x[ci[k]];
}

static void to_columns(void) {
  int k, c, at;
  for (k = 0; k < NNZ; k++)
    cp[ci[k] + 1]++;
  for (c = 0; c < N; c++)
    cp[c + 1] += cp[c];
  for (k = 0; k < NNZ; k++) {
    c = ci[k];
    at = cp[c] + fill[c]++;
    rowidx[at] = ri[k];
    cv[at] = va[k];
  }
}

static void columns(double *out) {
  int c, k;
  for (c = 0; c < N; c++)
    out[c] = 0;
  for (c = 0; c < N; c++)
    for (k = cp[c]; k < cp[c + 1]; k++)
      out[rowidx[k]] += cv[k] * x[c];
}

static void diagonals(double *out) {
  int d, i, j;
  for (i = 0; i < N; i++) {
    out[i] = 0;
    for (d = -2; d <= 2; d++) {
      j = i + d;
      if (j >= 0 && j < N)
        out[i] += band[d + 2][i] * x[j];
    }
  }
}

int main(void) {
  int i, d;
  double s = 0;
  for (i = 0; i < NNZ; i++) {
    ri[i] = i * 31 % N;
    ci[i] = i * 97 % N;
    va[i] = i % 9 - 4;
  }
  for (i = 0; i < N; i++) {
    x[i] = i % 13;
    for (d = 0; d < 5; d++)
      band[d][i] = (i + d) % 5;
  }
  coordinates();
  to_columns();
  columns(z);
  diagonals(w);
  for (i = 0; i < N; i++)
    s += y[i] * (i % 3) + z[i] * (i % 4) + w[i];
  printf("%.6f\n", s);
  return 0;
}
