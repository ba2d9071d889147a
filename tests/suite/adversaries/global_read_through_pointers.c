/* Once a wrong directive: `#pragma omp parallel for lastprivate(t)` (observed) in lines 8, 11, 14, although in this very run the ordinary pointers pal (global), p (parameter) and tab[] point to t and
   read it in every iteration: they read the original t, not the private copy. Not only folded pointers: the observation ("no two iterations used the same memory in a
   way that the clauses do not take care of") is made with all accesses to the byte, the clause only privatizes those by name. */
#include <stdio.h>
#define N 2000
double a[N], b[N], t, *pal = &t, *tab[2] = {&t, &t};
void f(double *p){ int i;
 for (i = 0; i < N; i++) { /*S*/
  t = a[i]; b[i] += *pal; }
 printf("%g\n", b[N-1]);
 for (i = 0; i < N; i++) { /*S*/
  t = a[i]; b[i] += *p; }

 for (i = 0; i < N; i++) { /*S*/
  t = a[i]; b[i] += *tab[i&1]; } }
int main(void){ int i; double s = 0;
 for (i = 0; i < N; i++) a[i] = i;
 f(&t);
 for (i = 0; i < N; i++) s += b[i];
 printf("%g %g\n", s, t); return 0; }
