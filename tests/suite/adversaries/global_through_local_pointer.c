/* Once a wrong directive: line with the loop: printed `#pragma omp parallel for lastprivate(t2)` (observed). `q` points to the global t2; *q in the loop
   reads the ORIGINAL, not the private copy: results differ. (q is folded to @t2 by the compiler, so that the alias is not seen.) */
#include <stdio.h>
#define N 3000
double a[N], c[N], t2;
int main(void){ int i; double s = 0, *q = &t2;
 for (i = 0; i < N; i++)
  a[i] = (i*7919%1000)/100.0;
 for (i = 0; i < N; i++) { /*S*/
  t2 = a[i]; c[i] += *q; }
 for (i = 0; i < N; i++)
  s += c[i];
 printf("%g %g\n", s, t2); return 0; }
