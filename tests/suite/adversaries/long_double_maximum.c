/* Once `reduction(max:m)`, which needs -latomic. */
#include <stdio.h>
double x[600]; long double m = -1e30L;
int main(void) {
  for (int i = 0; i < 600; i++) x[i] = (i * 37) % 600;
  for (int i = 0; i < 600; i++)
    m = m > x[i] ? m : x[i];
  printf("%Lg\n", m);
}
