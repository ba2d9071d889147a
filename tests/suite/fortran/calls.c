// Calls a subroutine of Fortran.
#include <stdio.h>

void sweep_(double *a, const int *n, const double *x);

int main(void) {
  double a[128], sum = 0;
  const int n = 128;
  for (int i = 0; i < n; i++) a[i] = i;
  const double x = 0;
  for (int k = 0; k < 20; k++) sweep_(a, &n, &x);
  for (int i = 0; i < n; i++) sum += a[i];
  printf("%.1f\n", sum);
  return 0;
}
