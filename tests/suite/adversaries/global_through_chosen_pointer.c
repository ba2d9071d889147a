/* Once a wrong directive: `#pragma omp parallel for lastprivate(t2)` (observed) at line 9, q = cond ? &t2 : &t3 taken before the loop. */
#include <stdio.h>
#define N 3000
double a[N], c[N], t2, t3;
int main(int argc, char **argv){ int i; double s = 0, *q = argc > 0 ? &t2 : &t3;
 for (i = 0; i < N; i++)
  a[i] = (i*7919%1000)/100.0;

 for (i = 0; i < N; i++) { /*S*/
  t2 = a[i]; c[i] += *q; }
 for (i = 0; i < N; i++)
  s += c[i];
 printf("%g %g\n", s, t2); return 0; }
