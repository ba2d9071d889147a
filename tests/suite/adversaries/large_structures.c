/* Structures that are too large for copies on the stacks of threads. */
#include <stdio.h>
#define N 2000
struct row { double d[1000]; };
double a[N], b[N];
static double __attribute__((noinline)) g(void) { int i, j; double s = 0; struct row h[600];
  for (i = 0; i < 600; i++) h[i].d[i] = i;
  for (i = 0; i < 600; i++) s += h[i].d[i / 9 * 9];
  for (i = 0; i < N; i++) {
    for (j = 0; j < 3; j++) h[j * 200].d[i % 1000] = i * j;
    for (j = 0; j < 3; j++) b[i] += h[j * 200].d[i % 1000]; }
  return s; }
int main(void) { int i; double s = g();
  for (i = 0; i < N; i++) s += b[i];
  printf("%g\n", s); return 0; }
