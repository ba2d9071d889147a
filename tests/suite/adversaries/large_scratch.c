/* Once a wrong directive (crash): private(v) of a 5.6 MB local array: the master's copy beside the original overflows the 8 MB stack -> SIGSEGV. For reductions over big arrays
   the plan warns ("every thread gets a copy ... check that they fit"), for private and firstprivate it does not. */
#include <stdio.h>
#define N 200
double a[N], b[N];
int main(void){ int i, j; double v[700000], s = 0;
 for (i = 0; i < 700000; i += 7) v[i] = i * 0.5;
 for (i = 0; i < 700000; i += 70) s += v[i];

 for (i = 0; i < N; i++) { /*?*/
  for (j = 0; j < 100; j++) v[j*6000] = i*j;
  for (j = 0; j < 100; j++) b[i] += v[j*6000]; }
 for (i = 0; i < N; i++) s += b[i];
 printf("%g\n", s); return 0; }
