// The last value of a row's part, or what was there before: where a part is empty, `lastprivate` of a `taskloop` whose
// index is an `int` leaves neither.
#include <stdio.h>

#define FEW 6
#define N 3000

__attribute__((noinline)) static long weight(long i, long j) {
  long x = i * 7919 + j;
  for (int k = 0; k < 40; k++)
    x = (x * 1103515245 + 12345) & 0x7fffffff;
  return x & 1023;
}

__attribute__((noinline)) static long last(int i, int from) {
  long kept = 5;
  for (int j = from; j < N; j++)
    kept = weight(i, j);
  return kept;
}

// With an argument, which is not recorded, every other part is empty.
int main(int argc, char **argv) {
  (void)argv;
  long sum = 0;
  for (int k = 0; k < FEW; k++)
    sum += last(k, argc > 1 && k % 2 ? N : 0);
  printf("%ld\n", sum);
  return 0;
}
