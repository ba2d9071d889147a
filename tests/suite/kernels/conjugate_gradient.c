/* Conjugate gradients on a sparse matrix in row form. */
#include <stdio.h>
#include <stdlib.h>
#define ROWS 900
typedef struct {
  int n, *start, *col;
  double *val;
} matrix;

matrix *laplace(int side) {
  matrix *m = malloc(sizeof *m);
  int i, j, k = 0, n = side * side;
  m->n = n;
  m->start = malloc((n + 1) * sizeof(int));
  m->col = malloc(5 * n * sizeof(int));
  m->val = malloc(5 * n * sizeof(double));
  for (i = 0; i < side; i++)
    for (j = 0; j < side; j++) {
      m->start[i * side + j] = k;
      if (i > 0)
        m->col[k] = (i - 1) * side + j, m->val[k++] = -1;
      if (j > 0)
        m->col[k] = i * side + j - 1, m->val[k++] = -1;
      m->col[k] = i * side + j, m->val[k++] = 4;
      if (j < side - 1)
        m->col[k] = i * side + j + 1, m->val[k++] = -1;
      if (i < side - 1)
        m->col[k] = (i + 1) * side + j, m->val[k++] = -1;
    }
  m->start[n] = k;
  return m;
}

void times(matrix *m, double *x, double *y) {
  int i, k;
  for (i = 0; i < m->n; i++) {
    y[i] = 0;
    for (k = m->start[i]; k < m->start[i + 1]; k++)
      y[i] += m->val[k] * x[m->col[k]];
  }
}

double dot(double *a, double *b, int n) {
  int i;
  double s = 0;
  for (i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

int main(void) {
  static double x[ROWS], r[ROWS], p[ROWS], q[ROWS];
  matrix *m = laplace(30);
  int i, it;
  double rr, alpha, beta, old, s = 0;
  for (i = 0; i < m->n; i++)
    r[i] = p[i] = i % 11 - 5;
  rr = dot(r, r, m->n);
  for (it = 0; it < 12; it++) {
    times(m, p, q);
    alpha = rr / dot(p, q, m->n);
    for (i = 0; i < m->n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    old = rr;
    rr = dot(r, r, m->n);
    beta = rr / old;
    for (i = 0; i < m->n; i++)
      p[i] = r[i] + beta * p[i];
  }
  for (i = 0; i < m->n; i++)
    s += x[i] * (i % 7);
  printf("%.5e %.7e\n", rr, s);
  return 0;
}
