// A serial program: 15 phases marked by pragmas, one of them through a header, between functions.
// phases: 15
#define _GNU_SOURCE
#include "solver.h"
#include <stdio.h>
#include <string.h>

static double v[400000];

static void advance(int step) {
  for (int i = 0; i < 400000; i++) v[i] = v[i] * 0.5 + step;
}

int main(void) {
  char name[16];
  // `_GNU_SOURCE` is in force: this is the function that the C library has with it.
  const char *base = basename("/a/b");
  memcpy(name, base, 2);
  for (int step = 0; step < 15; step++) {
#pragma ompp phase start "time step"
    advance(step);
    solve(v, 400000);
#pragma ompp phase end "time step"
  }
  printf("%s %.3f line %d of %s\n", name, v[7], __LINE__, __FILE_NAME__);
}
