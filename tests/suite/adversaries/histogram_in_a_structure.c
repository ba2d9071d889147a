/* Once a wrong directive: a histogram in an array member of a global (or static) structure or union: lines 9 (hs.h[..]++), 11 (2-d, double), 13 (|=, static): `#pragma omp parallel for` WITHOUT a reduction
   (class DOALL_REDUCTION, observed): data race, updates are lost. Also through a const pointer to it (hp->h[5] += ..), nested structures, unions. */
#include <stdio.h>
#define N 20000
struct H { int n; int h[64]; double m[8][8]; } hs; static struct H bs; int k[N];
int main(void){ int i; double s = 0;
 for (i = 0; i < N; i++) k[i] = i * 7919 % 13;

 for (i = 0; i < N; i++) /*S*/
  hs.h[k[i]&63]++;
 for (i = 0; i < N; i++) /*S*/
  hs.m[k[i]&7][k[i]>>3]++;
 for (i = 0; i < N; i++) /*S*/
  bs.h[k[i]] |= 1 << i % 31;
 for (i = 0; i < 64; i++) s += hs.h[i] * (i + 1.0) + ((double*)hs.m)[i] * i + bs.h[i];
 printf("%.12g\n", s); return 0; }
