/* Refused, in wrong words, line 9: "`s` is no variable that a clause can name: reduce into a local one with reduction(+:...)": s is a local long
   double; the advice is meaningless (reduction(+:s) compiles, but needs -latomic to link). Line 11: a thread-local scalar "is updated by `+` at changing places". Line 13: "not every iteration sets `s`": every one sets s.x, s.y. */
#include <stdio.h>
#define N 2000
double a[N], b[N]; __thread int tcount; struct P { double x, y; int n; };
int main(void){ int i; long double s = 0; struct P p; p.n = 3;
 for (i = 0; i < N; i++) a[i] = i;

 for (i = 0; i < N; i++) /*P*/
  s += a[i];
 for (i = 0; i < N; i++) 
  if (a[i] > 3) tcount++;
 for (i = 0; i < N; i++) { 
  p.x = a[i]; p.y = a[i] + 1; b[i] += p.x*p.n + p.y; }
 printf("%Lg %d %g %g\n", s, tcount, p.x, b[7]); return 0; }
