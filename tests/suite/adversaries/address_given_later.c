/* Sums and maxima whose address is given away behind the loop. */
#include <stdio.h>
#define N 2000
double a[N];
static void allreduce(const double *in, double *out) { *out = *in * 2; }
int main(void) { int i, n; double sum = 0, g, mx = 0; long cnt = 0;
  if (sscanf("2000", "%d", &n) != 1) return 1;
  for (i = 0; i < n; i++) a[i] = i % 17;
  for (i = 0; i < n; i++)
    sum += a[i];
  allreduce(&sum, &g);
  for (i = 0; i < n; i++)
    if (a[i] > mx) mx = a[i];
  allreduce(&mx, &sum);
  printf("%g %g\n", sum, g); return 0; }
