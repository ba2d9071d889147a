/* Wrong directive (complete): line 8 `reduction(min:m)` of an unsigned m that is compared as signed; line 12 `reduction(max:m2)` of a signed m2 compared as unsigned: OpenMP compares by the
   variable's own type. Values beyond INT_MAX / negative values give another result (already on the recorded input). */
#include <stdio.h>
#define N 2000
int k[N];
int main(void){ int i; unsigned m = 1000; int m2 = 0;
 for (i = 0; i < N; i++) k[i] = i * 7919 % 1001 - 300;
 for (i = 0; i < N; i++) /*S*/
  if ((int)m > k[i]) m = k[i];
 printf("%u\n", m);

 for (i = 0; i < N; i++) /*S*/
  if ((unsigned)k[i] > (unsigned)m2) m2 = k[i];
 printf("%d\n", m2); return 0; }
