/* Counts and classes of what follows a longjmp into the same function. */
#include <stdio.h>
#include <setjmp.h>
#define N 1000
double a[N], w[N]; int k[N]; jmp_buf jb;
int main(void) { int i; double s = 0;
  for (i = 0; i < N; i++) { a[i] = i; k[i] = i * 7919 % N; }
  for (i = 0; i < N; i++) {
    if (setjmp(jb) == 0) { if (k[i] % 3 == 0) longjmp(jb, 1); w[i] += 1; } else w[i] = -1; }
  for (i = 0; i < N; i++)
    w[i] += a[i];
  for (i = 0; i < N; i++)
    s += w[i];
  printf("%g\n", s); return 0; }
