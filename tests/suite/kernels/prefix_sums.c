/* Prefix sums, running maxima, differences, summed-area table. */
#include <stdio.h>
#define N 6000
#define S 90
static int v[N], sums[N], high[N], diff[N], key[N];
static long area[S][S];

int main(void) {
  int i, j, prev = 0, m;
  unsigned long total = 0;
  for (i = 0; i < N; i++)
    v[i] = i * 7919 % 1013 - 500;
  sums[0] = v[0];
  for (i = 1; i < N; i++)
    sums[i] = sums[i - 1] + v[i];
  m = v[0];
  for (i = 0; i < N; i++) {
    if (v[i] > m)
      m = v[i];
    high[i] = m;
  }
  for (i = 0; i < N; i++) {
    diff[i] = v[i] - prev;
    prev = v[i];
  }
  for (i = 0; i < N; i++) {
    key[i] = i;
    if (i > 2)
      total += key[i - 2];
  }
  for (i = 0; i < S; i++)
    for (j = 0; j < S; j++) {
      area[i][j] = v[(i * S + j) % N];
      if (i)
        area[i][j] += area[i - 1][j];
      if (j)
        area[i][j] += area[i][j - 1];
      if (i && j)
        area[i][j] -= area[i - 1][j - 1];
    }
  for (i = 0; i < N; i++)
    total = total * 3 + sums[i] + high[i] * 5 + diff[i] % 11;
  printf("%lu %ld\n", total, area[S - 1][S - 1]);
  return 0;
}
