/* Scratch variables of unusual types in front of the loop: `long double`, of which ten bytes of sixteen are used, and vectors of three elements
   (found 2026-11-25: no clause named them). */
#include <stdio.h>
#define N 4000
static double a[N], c[N];
static double f0(double x) { return x + 1; }
static double f1(double x) { int j; double s = x;
  for (j = 0; j < 200; j++)
    s = s / 1.5 + x;
  return s; }
static double (*const table[2])(double) = { f0, f1 };
static void scale(int n, double (*f)(double)) { long double t; int i;
  for (i = 0; i < n; i++) {
    t = a[i] * 1.1L;
    c[i] = f(a[i]);
    c[i] += t;
  }
}
static void plain(int n) { long double t; int i;
  for (i = 0; i < n; i++) {
    t = a[i] * 1.1L;
    c[i] += (double)(t * t);
  }
}
int main(int argc, char **argv) { int i; double s = 0; (void)argv;
  for (i = 0; i < N; i++)
    a[i] = i % 37;
  scale(N, table[argc > 0]);
  plain(N);
  for (i = 0; i < N; i++)
    s += c[i] * (i % 5);
  printf("%.12g\n", s); return 0; }
