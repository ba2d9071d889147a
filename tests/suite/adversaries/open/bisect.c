/* Refused: 'mid can carry a value from one iteration to the next', which an inner loop that always runs sets anew. (2026-11-25) */
#include <stdio.h>
#define N 2000
static double a[N], b[N], c[N], d[N];
static void v1(int n) { double lo, hi, mid; int i, it;
  for (i = 0; i < n; i++) {
    lo = 0; hi = a[i] + 1;
    for (it = 0; it < 20; it++) {
      mid = (lo + hi) / 2;
      if (mid * mid > a[i]) hi = mid; else lo = mid;
    }
    b[i] = mid;
  }
}
static void v2(int n) { double t, s; int i, j;
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < 4; j++) {
      t = a[(i + j) % N];
      s += t * t;
    }
    c[i] = s + t;
  }
}
static void v3(int n, int m) { double t, s; int i, j;
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < m; j++) {
      t = a[(i + j) % N];
      s += t * t;
    }
    d[i] = s;
  }
}
int main(void) { int i; double s = 0;
  for (i = 0; i < N; i++) a[i] = i * 31 % 97;
  v1(N); v2(N); v3(N, 5);
  for (i = 0; i < N; i++)
    s += b[i] * (i % 5) + c[i] * (i % 3) + d[i];
  printf("%.12g\n", s); return 0; }
