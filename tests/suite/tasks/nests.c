// Loops inside loops whose results are whole numbers, so that no order of additions changes them.
#include <stdio.h>

#define FEW 6
#define N 3000

static long table[FEW][N], column[N], sums[FEW];

__attribute__((noinline)) static long weight(long i, long j) {
  long x = i * 7919 + j;
  for (int k = 0; k < 40; k++)
    x = (x * 1103515245 + 12345) & 0x7fffffff;
  return x & 1023;
}

// A row: run by the tasks of the loop that calls it. Its local array must not be copied into them.
static void row(long i) {
  long local[N];
  for (long j = 0; j < N; j++)
    local[j] = weight(i, j);
  long sum = 0;
  for (long j = 0; j < N; j++)
    sum += local[j] * (j & 7);
  sums[i] = sum;
  for (long j = 0; j < N; j++)
    table[i][j] = local[j] + 1;
}

int main(void) {
  for (long i = 0; i < FEW; i++)
    row(i);
  int i, j;
  for (i = 0; i < N; i++) {
    column[i] = 0;
    for (j = 0; j < FEW; j++)
      column[i] += table[j][i] * weight(j, i);
  }
  long sum = 0;
  for (int k = 0; k < N; k++)
    sum += column[k] % 1000 * weight(k, 1);
  for (int k = 0; k < FEW; k++)
    sum += sums[k];
  printf("%ld\n", sum);
  return 0;
}
