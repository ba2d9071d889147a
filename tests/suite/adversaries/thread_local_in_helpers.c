/* Once a wrong directive: line 9 `#pragma omp parallel for` (complete): errno is thread-local, set before the loop, read in it: the other threads read theirs (0).
   line 11 (observed): the same through a helper that reads a thread-local. See bug_13. */
#include <stdio.h>
#include <errno.h>
#define N 2000
double w[N]; static __thread double coef; static double mulc(double x){ return x * coef; }
int main(void){ int i; double s = 0; coef = 3; errno = 7;

 for (i = 0; i < N; i++) /*S*/
  w[i] += errno;
 for (i = 0; i < N; i++) /*S*/
  w[i] += mulc(i);
 for (i = 0; i < N; i++) s += w[i];
 printf("%g\n", s); return 0; }
