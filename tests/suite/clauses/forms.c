// Forms of loops: those that take a directive, and those that get words.
#include <math.h>
#include <stdio.h>

#define N 600

double a[N], b[N], c[N];

void until(double x) {
  int i;
  // clauses: words -- left by break
  for (i = 0; i < N; i++) {
    if (a[i] < x)
      break;
    c[i] = sqrt(a[i] + x);
  }
}

void whilst(double x) {
  int i = 0;
  // clauses: words -- while
  while (i < N) {
    b[i] = sqrt(a[i] + x);
    i++;
  }
}

void walk(void) {
  double *p = a, *q = b;
  int i;
  // clauses: words -- pointers are carried along
  for (i = 0; i < N; i++) {
    *q = sqrt(*p);
    p++;
    q++;
  }
}

void both(void) {
  int i, j;
  // clauses: words -- two variables are stepped
  for (i = 0, j = N - 1; i < N; i++, j--)
    b[i] = sqrt(a[j]);
}

void one_line(void) {
  int i, j;
  // clauses: none
  for (i = 0; i < N; i++) b[i] = sqrt(a[i] + 1); for (j = 0; j < N; j++) c[j] = sqrt(a[j] + 2);
}

void already(void) {
  int i;
#pragma omp parallel for
  // clauses: words -- there is one
  for (i = 0; i < N; i++)
    c[i] = sqrt(a[i] + 3);
}

void through(int n, double f, double *x, double *y) {
  int i;
  // clauses: unchecked firstprivate(f)
  for (i = 0; i < n; i++)
    y[i] = f * sqrt(x[i]);
}

double least_above(double x) {
  double least = INFINITY;
  int i;
  // clauses: unchecked reduction(min:least) -- which clang would begin with DBL_MAX, and leave that where none is above
  for (i = 0; i < N; i++)
    if (a[i] > x && a[i] < least)
      least = a[i];
  return least;
}

int main(void) {
  int i;
  double s = 0;
  // clauses: none
  for (i = 0; i < N; i++)
    a[i] = (i * 37) % 101 + 1;
  until(0.5);
  whilst(1);
  walk();
  both();
  one_line();
  already();
  through(N, 2, a, b);
  printf("%g %g\n", least_above(50), least_above(1e9));
  for (i = 0; i < N; i++)
    s += (int)(a[i] * 10) + (int)(b[i] * 1000) + (int)(c[i] * 1000);
  printf("%.3f\n", s);
  return 0;
}
