// Loops with two chains: one in a register (multiply 3, add 1: 4 units an iteration) and one in memory (load 4, multiply 3, add 1,
// store 1: 9 units).
#include <stdio.h>
enum { N = 300 };
static unsigned x[N], state[2];

static unsigned deep(unsigned n) {
  unsigned s = 0;
  for (unsigned i = 0; i < n % 5 + 1; i++)
    s ^= x[i];
  return s;
}

int main(void) {
  for (unsigned i = 0; i < N; i++)
    x[i] = i;
  unsigned sum = 1;
  for (int i = 0; i < N; i++) { // flat
    sum = sum * 3 + x[i];
    state[0] = state[0] * 5 + 7;
  }
  unsigned mix = 1;
  for (int i = 0; i < N; i++) { // full
    mix = mix * 3 + deep(i);
    state[1] = state[1] * 5 + 7;
  }
  printf("%u %u %u %u\n", sum, mix, state[0], state[1]);
  return 0;
}
