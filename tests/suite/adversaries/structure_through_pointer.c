/* Once a wrong directive (as bug_04, a struct): `#pragma omp parallel for` without a clause (observed), `s` is written by all iterations through p = &s. */
#include <stdio.h>
#define N 2000
double a[N], b[N]; struct P { double x, y; int n; };
int main(void){ int i; double t = 0; struct P s, *p = &s; s.n = 3;
 for (i = 0; i < N; i++) { a[i] = i; b[i] = 1; }
 for (i = 0; i < N; i++) { /*S*/
  p->x = a[i]; p->y = b[i]; b[i] += p->x*s.n + p->y; }
 for (i = 0; i < N; i++) 
  t += b[i];
 printf("%g\n", t); return 0; }
