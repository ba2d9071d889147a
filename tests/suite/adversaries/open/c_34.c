/* FALSE PERCENTAGE: outer loop in work: "`scratch[]` read on line 10 is overwritten on line 9 one iteration later, in 60.7% of iterations": it is in all (the observer stopped after 3641
   instances, of which nothing is said here). */
#include <stdio.h>
#define N 6000
static int acc[N]; int scratch[8];
int main(void){ int i, j; long s = 0;

 for (i = 0; i < N; i++) {
  for (j = 0; j < 8; j++) scratch[j] = i * j;
  for (j = 0; j < 8; j++) acc[i] += scratch[j]; }
 for (i = 0; i < N; i++) s += acc[i];
 printf("%ld\n", s); return 0; }
