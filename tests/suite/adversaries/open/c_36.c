/* NaN: line 9 `reduction(min:g)` (complete) for `if (!(a[i] >= g)) g = a[i];`: a NaN replaces g, and the next value replaces the NaN: the result depends on the order. On this input
   already (a NaN in the middle). */
#include <stdio.h>
#include <math.h>
#define N 2000
double a[N], g = 1e30;
int main(void){ int i; 
 for (i = 0; i < N; i++) a[i] = i == 1000 ? NAN : i < 1000 ? i : 5000 - i;
 for (i = 0; i < N; i++) /*S*/
  if (!(a[i] >= g)) g = a[i];
 printf("%g\n", g); return 0; }
