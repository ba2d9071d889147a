/* Wrong directive where threads meet: the same memory at two addresses, p1[i] = p2[i - 1] + 1. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#define N 8192
double w[N];
int main(void) { int i; double s = 0;
  char *p1 = mmap(0, N, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1, 0);
  char *p2 = mremap(p1, 0, N, MREMAP_MAYMOVE);
  for (i = 0; i < N; i++)
    w[i] += i;
  for (i = 1; i < N; i++)
    p1[i] = p2[i - 1] + 1;
  for (i = 0; i < N; i++)
    s += p1[i];
  for (i = 0; i < N; i++)
    s += w[i] * (i % 7);
  printf("%.10g\n", s); return 0; }
