/* Cases of which every one sets something of its own. */
#include <stdio.h>
#define N 2000
double a[N], w[N]; int k[N];
int main(void) { int i; double s = 0, t;
  for (i = 0; i < N; i++) { a[i] = i % 17; k[i] = i * 7919 % N; }
  for (i = 0; i < N; i++)
    switch (k[i] & 3) {
    case 0: w[i] = a[i]; break;
    case 1: w[i] = a[i] + 2; break;
    case 2: w[i] = a[i] * 3; break;
    }
  for (i = 0; i < N; i++)
    switch (k[i] & 3) {
    case 0: w[i] = a[i]; break;
    case 1: w[i] = a[i] + 2; break;
    }
  for (i = 0; i < N; i++) {
    switch (i % 4) {
    case 0: t = 1; break;
    case 1: t = a[i]; break;
    case 2: t = a[i] * 3; break;
    default: t = 2; break; }
    w[i] += t; }
  for (i = 0; i < N; i++) s += w[i] * (i % 7);
  printf("%.10g\n", s); return 0; }
