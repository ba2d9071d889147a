/* Once a wrong class: line 6 is in the plan as DOALL ("no carried dependence ...", "with all of them the program would run ..x") and the next sentence says "`h[]` written on line 7
   is read on line 7 .. iterations later: the loop cannot run in parallel as it is". It is a histogram through a pointer: a reduction. */
#include <stdio.h>
#define N 20000
int main(void){ int i, h[64] = {0}, *p = h, t = 0;
 for (i = 0; i < N; i++) /*?*/
  p[i*7&63]++;
 for (i = 0; i < 64; i++) t += h[i]*i;
 printf("%d\n", t); return 0; }
