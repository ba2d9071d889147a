/* Two functions whose loops declare arrays of 5 MB each: the serial program has them in one place, the function that a directive makes of a loop has
   its own beside what main keeps, and the stack ended (found 2026-11-25). */
#include <stdio.h>
#define N 40
static double a[N], b[N];
static void one(int n) { int i, j;
  for (i = 0; i < n; i++) {
    double w[200][3300];
    for (j = 0; j < 200; j++)
      w[j][0] = a[i] + j;
    b[i] += w[i][0];
  }
}
static void two(int n) { int i, j;
  for (i = 0; i < n; i++) {
    double w[200][3200];
    for (j = 0; j < 200; j++)
      w[j][1] = b[i] + j;
    a[i] += w[i + 1][1];
  }
}
int main(void) { int i; double s = 0;
  for (i = 0; i < N; i++)
    a[i] = i;
  one(N); two(N);
  for (i = 0; i < N; i++)
    s += a[i] + b[i];
  printf("%g\n", s); return 0; }
