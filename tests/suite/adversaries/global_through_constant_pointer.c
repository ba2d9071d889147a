/* Once a wrong directive: `#pragma omp parallel for lastprivate(t4)`, certainty "complete" (line 11): *q, q a const pointer to t4, reads the original t4. 
   Same with `static double *const q` in the function (clang folds the load of the const pointer) and with a global `double *const cq = &t4`. */
#include <stdio.h>
#define N 3000
double a[N], b[N], t4;
static double *const cq = &t4;
int main(void){ int i; double s = 0;
 for (i = 0; i < N; i++)
  a[i] = (i*7919%1000)/100.0;

 for (i = 0; i < N; i++) { /*S*/
  t4 = a[i]; b[i] += *cq; }
 for (i = 0; i < N; i++)
  s += b[i];
 printf("%g %g\n", s, t4); return 0; }
