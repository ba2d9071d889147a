/* Once a wrong directive: `#pragma omp parallel for` (observed) at line 7: memory of alloca() is gone when the other threads leave the parallel region (outlined function). */
#include <stdio.h>
#include <alloca.h>
#define N 500
int *np[N];
int main(void){ int i; long s = 0;
 for (i = 0; i < N; i++) { /*S*/
  np[i] = alloca(32); np[i][0] = i; np[i][1] = 5; }
 for (i = 0; i < N; i++) 
  s += np[i][0]*np[i][1];
 printf("%ld\n", s); return 0; }
