// The loop compares the address of a variable that it writes: that of a copy would be another.
#include <stdio.h>
#define N 120
static int a[N], out[N], mode, cur, dir, hits;
int main(void) {
  int i, s = 0;
  int *tab[4] = {&cur, &mode, &dir, &hits};
  for (i = 0; i < N; i++)
    a[i] = i * 37 % 101;

  for (i = 0; i < N; i++) {
    mode = a[i];
    out[i] = mode;
    if (tab[i & 3] == &mode) out[i] += 1000;
  }

  for (i = 0; i < N; i++)
    s += out[i] * (i + 1);
  printf("%d %d\n", s, mode);
}
