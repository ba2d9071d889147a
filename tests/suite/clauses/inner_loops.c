// Variables that an inner loop sets in each of its iterations: they are its own where that loop always runs.
#include <stdio.h>
#define N 2000
static double a[N], b[N], c[N], d[N], e[N], f[N];

static void bisection(int n) {
  double lo, hi, mid;
  int i, it;
  // clauses: private(lo,hi,mid,it)
  for (i = 0; i < n; i++) {
    lo = 0;
    hi = a[i] + 1;
    for (it = 0; it < 20; it++) {
      mid = (lo + hi) / 2;
      if (mid * mid > a[i])
        hi = mid;
      else
        lo = mid;
    }
    b[i] = mid;
  }
}

static void last_of_two_loops(int n) {
  double t, s;
  int i, j, k;
  // clauses: private(t,s,j,k)
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < 4; j++)
      for (k = 1; k <= 3; k++) {
        t = a[(i + j + k) % N];
        s += t * t;
      }
    c[i] = s + t;
  }
}

static void may_not_run(int n, int m) {
  double t = 1, s;
  int i, j;
  // clauses: words -- without an iteration, the one before left `t`
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < m; j++) {
      t = a[(i + j) % N];
      s += t;
    }
    d[i] = s + t;
  }
}

static void not_every_iteration(int n) {
  double t = 1, s;
  int i, j;
  // clauses: words
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < 4; j++) {
      if (a[(i + j) % N] > 90)
        t = a[i];
      s += t;
    }
    e[i] = s + t;
  }
}

static void read_first(int n) {
  double t = 1, s;
  int i, j;
  // clauses: words
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < 4; j++) {
      s += t;
      t = a[(i + j) % N];
    }
    f[i] = s + t;
  }
}

int main(void) {
  double s = 0;
  int i;
  for (i = 0; i < N; i++)
    a[i] = i * 31 % 97;
  bisection(N);
  last_of_two_loops(N);
  may_not_run(N, 5);
  not_every_iteration(N);
  read_first(N);
  for (i = 0; i < N; i++)
    s += b[i] * (i % 5) + c[i] * (i % 3) + d[i] + e[i] * 2 + f[i] * 3;
  printf("%.12g\n", s);
  return 0;
}
