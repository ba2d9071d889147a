/* Once a wrong directive: `#pragma omp parallel for` (complete) at line 8: lgamma() writes the global signgam of the library, which the loop reads. Not reentrant. */
#include <stdio.h>
#include <math.h>
#define N 3000
double w[N]; int k[N];
int main(void){ int i; double s = 0;

 for (i = 0; i < N; i++) { /*S*/
  w[i] = lgamma(-0.5 - i % 7 - 1e-5 * i); k[i] = signgam; }
 for (i = 0; i < N; i++)
  s += k[i] * (i % 11);
 printf("%g\n", s); return 0; }
