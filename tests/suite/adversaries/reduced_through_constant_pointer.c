/* Once a wrong directive: line 8 `reduction(+:H)`, line 10 `reduction(+:gs)`, both "complete": the source updates through the const pointers hc, gq, which go on pointing to the
   ORIGINAL H and gs (clang folds the load of a const pointer, so that the pass sees @H): a data race. */
#include <stdio.h>
#define N 20000
int H[64]; double gs; static int *const hc = H; static double *const gq = &gs;
int main(void){ int i, t = 0;

 for (i = 0; i < N; i++) /*S*/
  hc[i*7&3]++;
 for (i = 0; i < N; i++) /*S*/
  *gq += i;
 for (i = 0; i < 64; i++) t += H[i]*i;
 printf("%d %g\n", t, gs); return 0; }
