// Additions to random places.  Arguments: GB, hundred thousands of additions.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  size_t n = (size_t)(argc > 1 ? atof(argv[1]) * 1e9 / 8 : 1e8);
  long rounds = argc > 2 ? atol(argv[2]) : 4;
  unsigned long *x = malloc(n * 8), at = 88172645463325252ul;
  if (!x) return 3;
  for (long r = 0; r < rounds; r++)
    for (size_t i = 0; i < 100000; i++) { at ^= at << 13; at ^= at >> 7; at ^= at << 17; x[at % n] += i; }
  unsigned long s = 0;
  for (size_t i = 0; i < n; i += 4096) s += x[i];
  printf("%lu\n", s);
}
