/* LU decomposition with partial pivoting, everything global, C89. */
#include <stdio.h>
#include <math.h>
#define MAXN 100
double a[MAXN][MAXN], b[MAXN], x[MAXN];
int n, perm[MAXN];

void setup() {
  int i, j;
  n = 90;
  for (i = 0; i < n; i++) {
    b[i] = i % 7 + 1;
    for (j = 0; j < n; j++)
      a[i][j] = (i * 37 + j * 91) % 101 / 10.0 + (i == j ? 20 : 0);
  }
}

void decompose() {
  int i, j, k, p;
  double t, big;
  for (i = 0; i < n; i++)
    perm[i] = i;
  for (k = 0; k < n; k++) {
    p = k;
    big = fabs(a[k][k]);
    for (i = k + 1; i < n; i++) {
      t = fabs(a[i][k]);
      if (t > big) {
        big = t;
        p = i;
      }
    }
    if (p != k) {
      for (j = 0; j < n; j++) {
        t = a[k][j];
        a[k][j] = a[p][j];
        a[p][j] = t;
      }
      i = perm[k];
      perm[k] = perm[p];
      perm[p] = i;
    }
    for (i = k + 1; i < n; i++) {
      t = a[i][k] / a[k][k];
      a[i][k] = t;
      for (j = k + 1; j < n; j++)
        a[i][j] -= t * a[k][j];
    }
  }
}

void solve() {
  int i, j;
  double s;
  for (i = 0; i < n; i++) {
    s = b[perm[i]];
    for (j = 0; j < i; j++)
      s -= a[i][j] * x[j];
    x[i] = s;
  }
  for (i = n - 1; i >= 0; i--) {
    s = x[i];
    for (j = i + 1; j < n; j++)
      s -= a[i][j] * x[j];
    x[i] = s / a[i][i];
  }
}

int main() {
  int i;
  double sum = 0;
  setup();
  decompose();
  solve();
  for (i = 0; i < n; i++)
    sum += x[i] * (i + 1);
  printf("%.10g %d %d\n", sum, perm[3], perm[n - 1]);
  return 0;
}
