/* Once wrong words: loop at line 9 is called DOACROSS, "whether there is another iteration is decided in the one before: by the loop's test or an
   exit" - the loop counts to a constant and has no exit. Only because ld is a global long double; with double it is DOALL lastprivate(ld). */
#include <stdio.h>
#define N 3000
double a[N], c[N]; long double ld;
int main(void){ int i; double s = 0;
 for (i = 0; i < N; i++)
  a[i] = (i*7919%1000)/100.0;
 for (i = 0; i < N; i++) { /*P*/
  ld = a[i]*2; c[i] += ld; }
 for (i = 0; i < N; i++)
  s += c[i];
 printf("%g %Lg\n", s, ld); return 0; }
