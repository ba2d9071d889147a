/* Once refused, `plan` against `explain`: `explain`: "every iteration writes `v` before it reads it, and nobody reads it later: private";
   `plan` refuses: "`v[]` read on line 11 is overwritten on line 10 one iteration later, in 100% of iterations: read from a copy, or give every
   iteration its own" - v is declared INSIDE the body, every iteration has its own. */
#include <stdio.h>
#define N 2000
double a[N], b[N];
int main(void){ double t = 0;
 for (int i = 0; i < N; i++) { /*P*/
  double v[8];
  for (int j = 0; j < 8; j++) v[j] = a[i]*j;
  for (int j = 0; j < 8; j++) b[i] += v[j];
 }
 for (int i = 0; i < N; i++) 
  t += a[i]+b[i]; 
 printf("%g\n", t); return 0; }
