/* Once `reduction(min:g)`: a NaN takes the place of `g`, and the next value that of the NaN, so that the result depends on the order. */
#include <math.h>
#include <stdio.h>
#define N 2000
double a[N], g = 1e30, most = -1e30;
int main(void) {
  int i;
  for (i = 0; i < N; i++) a[i] = i == 1000 ? NAN : i < 1000 ? i : 5000 - i;
  for (i = 0; i < N; i++)
    if (!(a[i] >= g)) g = a[i];
  for (i = 0; i < N; i++)
    most = most > a[i] ? most : a[i];
  printf("%g %g\n", g, most);
  return 0;
}
