/* Once a wrong directive: line 7 `reduction(+:gs)` (observed, DOALL_REDUCTION), although iteration 1000 of the recorded run reads the running sum through p (= &gs): the value depends on the
   iterations before. The array forms (H[..]++ and h[3] read, a maximum) are found; the scalar sum is not. */
#include <stdio.h>
#define N 2000
double a[N], b[N], gs;
void f(double *p){ int i;
 for (i = 0; i < N; i++) { /*S*/
  gs += a[i]; if (i == 1000) b[i] += *p; } }
int main(void){ int i;
 for (i = 0; i < N; i++) a[i] = i;
 f(&gs);
 printf("%g %g\n", b[1000], gs); return 0; }
