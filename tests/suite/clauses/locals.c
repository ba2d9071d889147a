// Variables declared at the top of functions, in the manner of C89: which clauses their loops need.
#include <math.h>
#include <stdio.h>

#define N 600
#define K 8
#define D 3

struct pair { double x, y; };

double points[N][D], centres[K][D], a[N], b[N], c[N];
int owner[N], histogram[16];

void nearest(void) {
  int i, j, k, best;
  double d, t, m;
  // clauses: private(j,k,best,d,t,m)
  for (i = 0; i < N; i++) {
    best = 0;
    m = 1e30;
    for (k = 0; k < K; k++) {
      d = 0;
      for (j = 0; j < D; j++) {
        t = points[i][j] - centres[k][j];
        d += t * t;
      }
      if (d < m) {
        m = d;
        best = k;
      }
    }
    owner[i] = best;
  }
}

int greatest(int n) {
  int i, at = -1;
  double m = -1;
  // clauses: patch -- the position belongs to the maximum
  for (i = 0; i < n; i++)
    if (a[i] > m) {
      m = a[i];
      at = i;
    }
  return at;
}

double last(int n) {
  int i;
  double x = 0;
  // clauses: lastprivate(x)
  for (i = 0; i < n; i++) {
    x = sqrt(a[i]) + i;
    b[i] = x * x;
  }
  return x;
}

double structure(int n) {
  int i;
  struct pair p;
  double s = 0;
  // clauses: private(p) reduction(+:s)
  for (i = 0; i < n; i++) {
    p.x = (int)a[i];
    p.y = (int)b[i];
    s += p.x * p.y;
  }
  return s;
}

double factor(int n, double f) {
  int i;
  struct pair p;
  double s = 0;
  p.y = f;
  // clauses: firstprivate(p) reduction(+:s)
  for (i = 0; i < n; i++) {
    p.x = (int)a[i];
    s += p.x * p.y;
  }
  return s;
}

int sometimes(int n) {
  int i, seen = -1;
  // clauses: words -- the last iteration need not set it
  for (i = 0; i < n; i++) {
    if ((int)a[i] % 7 == 3)
      seen = i;
    c[i] = sqrt(a[i]);
  }
  return seen;
}

void scratch(int n) {
  int i, j;
  double t[4];
  // clauses: private(j,t) -- each iteration fills `t` as a whole
  for (i = 0; i < n; i++) {
    for (j = 0; j < 4; j++)
      t[j] = a[i] * j;
    c[i] = t[0] + t[1] + t[2] + t[3];
  }
}

void count(int n) {
  int i, k;
  // clauses: private(k) reduction(+:histogram)
  for (i = 0; i < n; i++) {
    k = owner[i] & 15;
    histogram[k] += 1;
  }
}

void upwards(int n) {
  int i;
  // clauses: words -- reads what other iterations write
  for (i = 0; i < n - 1; i++)
    c[i] = c[i + 1] * 0.5;
}

int main(void) {
  int i, r;
  double s = 0;
  for (i = 0; i < N; i++) {
    a[i] = i % 97;
    b[i] = i % 31;
    c[i] = 1;
    for (r = 0; r < D; r++)
      points[i][r] = (i * 7 + r * 13) % 101;
  }
  for (i = 0; i < K; i++)
    for (r = 0; r < D; r++)
      centres[i][r] = points[i * 17][r];
  nearest();
  s += greatest(N) + last(N) + structure(N) + factor(N, 2) + sometimes(N);
  scratch(N);
  count(N);
  upwards(N);
  for (i = 0; i < N; i++)
    s += a[i] + b[i] + (int)(c[i] * 1000) + owner[i];
  printf("%.3f %d %d\n", s, histogram[1], histogram[5]);
  return 0;
}
