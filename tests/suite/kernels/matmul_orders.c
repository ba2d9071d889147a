/* Matrix products in all usual loop orders, blocked, and transposed. */
#include <stdio.h>
#include <string.h>
#define MAXN 64
#define AT(m, i, j) ((m)[(i) * n + (j)])
double A[MAXN * MAXN], B[MAXN * MAXN], C[MAXN * MAXN], T[MAXN * MAXN];
int n = 60, block = 16;

void ijk(double *a, double *b, double *c) {
  int i, j, k;
  double s;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      s = 0;
      for (k = 0; k < n; k++)
        s += AT(a, i, k) * AT(b, k, j);
      AT(c, i, j) = s;
    }
}

void ikj(double *a, double *b, double *c) {
  int i, j, k;
  memset(c, 0, n * n * sizeof *c);
  for (i = 0; i < n; i++)
    for (k = 0; k < n; k++)
      for (j = 0; j < n; j++)
        AT(c, i, j) += AT(a, i, k) * AT(b, k, j);
}

void kij(double *a, double *b, double *c) {
  int i, j, k;
  memset(c, 0, n * n * sizeof *c);
  for (k = 0; k < n; k++)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        AT(c, i, j) += AT(a, i, k) * AT(b, k, j);
}

void blocked(double *a, double *b, double *c) {
  int i, j, k, ii, kk;
  memset(c, 0, n * n * sizeof *c);
  for (ii = 0; ii < n; ii += block)
    for (kk = 0; kk < n; kk += block)
      for (i = ii; i < ii + block && i < n; i++)
        for (k = kk; k < kk + block && k < n; k++)
          for (j = 0; j < n; j++)
            AT(c, i, j) += AT(a, i, k) * AT(b, k, j);
}

void transposed(double *a, double *b, double *c) {
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      AT(T, j, i) = AT(b, i, j);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      AT(c, i, j) = 0;
      for (k = 0; k < n; k++)
        AT(c, i, j) += AT(a, i, k) * AT(T, j, k);
    }
}

double check(double *c) {
  int i;
  double s = 0;
  for (i = 0; i < n * n; i++)
    s += c[i] * (i % 13);
  return s;
}

int main(void) {
  int i;
  for (i = 0; i < n * n; i++) {
    A[i] = i % 17 - 8;
    B[i] = i % 23 - 11;
  }
  ijk(A, B, C), printf("%.6f\n", check(C));
  ikj(A, B, C), printf("%.6f\n", check(C));
  kij(A, B, C), printf("%.6f\n", check(C));
  blocked(A, B, C), printf("%.6f\n", check(C));
  transposed(A, B, C), printf("%.6f\n", check(C));
  return 0;
}
