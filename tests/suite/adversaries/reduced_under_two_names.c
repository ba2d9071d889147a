/* Once a wrong directive: line 6 `reduction(+:h)` (observed): h is also updated through p = h, the original: race, updates are lost. */
#include <stdio.h>
#define N 20000
int main(void){ int i, h[64] = {0}, *p = h, t = 0;

 for (i = 0; i < N; i++) { /*S*/
  p[i*7&3]++; h[i&3]++; }
 for (i = 0; i < 64; i++) t += h[i]*i;
 printf("%d\n", t); return 0; }
