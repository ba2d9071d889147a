/* Once refused: line 7: `explain` says "every iteration writes `v` before it reads it, and nobody reads it later: private", `plan` refuses with "`*v` written on line 8 is written again ..."
   (and names v[0] `*v`). With v[j] set in a loop over j instead of by v[0], v[1], v[2] the plan prints private(v). */
#include <stdio.h>
#define N 2000
double a[N], b[N];
int main(void){ double t = 0, v[3];
 for (int i = 0; i < N; i++) { /*P*/
  v[0] = a[i]; v[1] = b[i]; v[2] = 1; a[i] = v[i%3];
 }
 for (int i = 0; i < N; i++) 
  t += a[i]+b[i]; 
 printf("%g\n", t); return 0; }
