/* Once a wrong directive: `#pragma omp parallel for` (observed): `scale` is thread-local (_Thread_local, __thread alike); the other threads' copies are 0. */
#include <stdio.h>
#define N 2000
double a[N], b[N]; static _Thread_local double scale;
int main(void){ int i; double s = 0; scale = 3;
 for (i = 0; i < N; i++)
  a[i] = i;
 for (i = 0; i < N; i++) /*S*/
  b[i] += scale * a[i];
 for (i = 0; i < N; i++)
  s += b[i];
 printf("%g\n", s); return 0; }
