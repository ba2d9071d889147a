// Recursion, 200 calls deep.  Argument: rounds.
#include <stdio.h>
#include <stdlib.h>
static double data[1 << 16];
__attribute__((noinline)) static double leaf(int at) {
  double s = 0;
  for (int i = 0; i < 64; i++) s += data[(at * 7 + i) & 65535] * i;
  return s;
}
__attribute__((noinline)) static double down(int depth, int at) {
  if (depth == 0) return leaf(at);
  double s = 0;
  int n = depth % 25 == 0 ? 3 : 1;
  for (int i = 0; i < n; i++) s += down(depth - 1, at * 3 + i);
  return s;
}
int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 10;
  double s = 0;
  for (int i = 0; i < 65536; i++) data[i] = i & 63;
  for (int r = 0; r < rounds; r++) s += down(200, r);
  printf("%g\n", s);
}
