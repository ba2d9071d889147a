/* Once refused in wrong words: line 9: SERIAL, "whether there is another iteration is decided in the one before: by the loop's test or an exit". The loop counts to
   a constant and has no exit; every case sets t: lastprivate(t) is right (and with if/else instead of the switch it is printed). */
#include <stdio.h>
#define N 2000
double a[N], w[N], t; int k[N];
int main(void){ int i; double s = 0;
 for (i = 0; i < N; i++) { a[i] = i; k[i] = i * 7919 % 1001; }

 for (i = 0; i < N; i++) { /*P*/
  switch (k[i] & 3) { case 0: t = 1; break; case 1: t = 2; break; case 2: t = a[i]; break; default: t = 4; }
  w[i] += t; }
 for (i = 0; i < N; i++) s += w[i];
 printf("%g %g\n", s, t); return 0; }
