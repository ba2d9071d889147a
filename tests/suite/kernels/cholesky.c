/* Cholesky factorization by rows, pointers without restrict. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void make(double *m, int n) {
  int i, j, k;
  double *r = malloc(n * n * sizeof(double));
  for (i = 0; i < n * n; i++)
    r[i] = (i * 7919 % 1009) / 1009.0;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double s = i == j ? n : 0;
      for (k = 0; k < n; k++)
        s += r[i * n + k] * r[j * n + k];
      m[i * n + j] = s;
    }
  free(r);
}

static void cholesky(double *m, double *l, int n) {
  int i, j, k;
  double s;
  for (j = 0; j < n; j++) {
    s = m[j * n + j];
    for (k = 0; k < j; k++)
      s -= l[j * n + k] * l[j * n + k];
    l[j * n + j] = sqrt(s);
    for (i = j + 1; i < n; i++) {
      s = m[i * n + j];
      for (k = 0; k < j; k++)
        s -= l[i * n + k] * l[j * n + k];
      l[i * n + j] = s / l[j * n + j];
    }
  }
}

int main(void) {
  int n = 80, i;
  double *m = malloc(n * n * sizeof(double)), *l = calloc(n * n, sizeof(double)), trace = 0;
  make(m, n);
  cholesky(m, l, n);
  for (i = 0; i < n; i++)
    trace += l[i * n + i] + l[i * n + i / 2];
  printf("%.12g\n", trace);
  free(m);
  free(l);
  return 0;
}
