// A loop with two chains (9 and 4 units an iteration) at eleven depths, more than one run tracks.
#include <stdio.h>
enum { N = 100 };
static unsigned seed = 1;
static unsigned next(void) { return seed = seed * 5 + 7; }
static unsigned level(int n) {
  if (n) return level(n - 1);
  unsigned t = 1;
  for (int i = 0; i < N; i++) { // deep
    unsigned v = next();
    t = t * 3 + v;
  }
  return t;
}
int main(void) {
  unsigned t = 0;
  for (int d = 3; d < 14; d++) t += level(d);
  printf("%u\n", t);
  return 0;
}
