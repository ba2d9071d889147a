// Idioms of which several were refused once: sums of short types, flags, bits, choices, an index that is a global, a global as scratch.
#include <stdio.h>
#include <stdbool.h>
#define N 2000
double a[N], w[N], e, sum, xx; short sh[N]; unsigned char by[N], bits[N/8+1]; int gi; static double f(double x){ return 4/(1+x*x); }
int main(void){ int i; bool found = false, ok = true; short ss = 0; unsigned char x = 0;

 for (i = 0; i < N; i++)
  found |= a[i] > 5;
 
 for (i = 0; i < N; i++)
  ok = ok && a[i] < 5;
 
 for (i = 0; i < N; i++)
  ss += sh[i];
 
 for (i = 0; i < N; i++)
  x ^= by[i];
 
 for (i = 0; i < N; i++)
  bits[i>>3] |= 1 << (i & 7);
 
 for (gi = 0; gi < N; gi++)
  w[gi] += a[gi];
 
 for (i = 0; i < N; i++)
  e = e > w[i] ? e : w[i];
 
 for (i = 0; i < N; i++) {
  xx = (i + 0.5)/N; sum += f(xx); }
 printf("%d %d %d %d %d %g %g\n", found, ok, ss, x, bits[7], e, sum); return 0; }
