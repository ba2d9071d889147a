/* RefusedES of common idioms: 9 `found |= cond` (_Bool) DOACROSS; 12 `ok = ok && cond` SERIAL; 15 sum of shorts DOACROSS; 18 xor checksum of bytes DOACROSS; 21 bits[i>>3] |= 1 << (i & 7)
   (unsigned char) DOACROSS; 24 global index SERIAL; 27 e = e > d ? e : d on a global SERIAL (as `if (d > e) e = d` it is a reduction). 30 callee sum += f(xx) with globals DOACROSS. */
#include <stdio.h>
#include <stdbool.h>
#define N 2000
double a[N], w[N], e, sum, xx; short sh[N]; unsigned char by[N], bits[N/8+1]; int gi; static double f(double x){ return 4/(1+x*x); }
int main(void){ int i; bool found = false, ok = true; short ss = 0; unsigned char x = 0;

 for (i = 0; i < N; i++) /*P*/
  found |= a[i] > 5;
 
 for (i = 0; i < N; i++) /*P*/
  ok = ok && a[i] < 5;
 
 for (i = 0; i < N; i++) /*P*/
  ss += sh[i];
 
 for (i = 0; i < N; i++) /*P*/
  x ^= by[i];
 
 for (i = 0; i < N; i++) /*P*/
  bits[i>>3] |= 1 << (i & 7);
 
 for (gi = 0; gi < N; gi++) /*P*/
  w[gi] += a[gi];
 
 for (i = 0; i < N; i++) /*P*/
  e = e > w[i] ? e : w[i];
 
 for (i = 0; i < N; i++) { /*P*/
  xx = (i + 0.5)/N; sum += f(xx); }
 printf("%d %d %d %d %d %g %g\n", found, ok, ss, x, bits[7], e, sum); return 0; }
