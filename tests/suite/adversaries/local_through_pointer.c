/* Once a wrong directive: `#pragma omp parallel for` without a clause for `st` (observed) at line 9; the local `st` is written by every iteration through q = &st (before the loop), is shared
   by the directive (data race), and its value after the loop must be the last iteration's. (Early iterations are slow here, so that it shows.) */
#include <stdio.h>
#define N 3000
double a[N], b[N];
int main(void){ int i, j; double s = 0, st, *q = &st;
 for (i = 0; i < N; i++)
  a[i] = (i*7919%1000)/100.0;
 for (i = 0; i < N; i++) { /*S*/
  double x = 0; for (j = 0; j < (i < 700 ? 500 : 1); j++) x += a[j];
  *q = x + i; b[i] += st; }
 printf("%g\n", st);
 for (i = 0; i < N; i++)
  s += b[i];
 printf("%g\n", s); return 0; }
