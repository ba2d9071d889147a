// Directives that the file has already: of a team in loops and in functions that loops call, and variables of threads.
#include <stdio.h>
#define N 300
static double a[N], c[N], w[N][8], tp; static int v[N], cnt;
#pragma omp threadprivate(cnt)
static void upd(double *p, int n) { int j;
#pragma omp for
  for (j = 0; j < n; j++)
    p[j] += j + 1;
}
static int next(void) { return ++cnt; }
static void setc(int x) { cnt = x; }
static int getc2(int x) { return x + cnt; }
int main(void) { int i, j; double s = 0;
  for (i = 0; i < N; i++)
    a[i] = i % 17;
  for (i = 0; i < N; i++)
    upd(w[i], 8);
  for (i = 0; i < N; i++) {
#pragma omp single
    c[i] = a[i] * 2;
  }
  for (i = 0; i < N; i++) {
#pragma omp master
    v[i] = i * 3;
  }
  setc(5);
  for (i = 0; i < N; i++)
    v[i] += getc2(i);
  for (i = 0; i < N; i++) {
#pragma omp sections
    { c[i] += 1; }
  }
  for (i = 0; i < N; i++) {
#pragma omp ordered
    c[i] += 1;
  }
  for (i = 0; i < N; i++)
    v[i] += cnt;
  for (i = 0; i < N; i++)
    for (j = 0; j < 8; j++) s += w[i][j] + c[i] + v[i];
  printf("%.10g %d\n", s, next()); return 0; }
