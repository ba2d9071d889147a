/* Minima and maxima that are compared as signed although their variable is unsigned, and the other way round. */
#include <stdio.h>
#define N 2000
int k[N];
int main(void){ int i; unsigned m = 1000; int m2 = 0;
 for (i = 0; i < N; i++) k[i] = i * 7919 % 1001 - 300;
 for (i = 0; i < N; i++)
  if ((int)m > k[i]) m = k[i];
 printf("%u\n", m);

 for (i = 0; i < N; i++)
  if ((unsigned)k[i] > (unsigned)m2) m2 = k[i];
 printf("%d\n", m2); return 0; }
