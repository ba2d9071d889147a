// A nest of which the plan takes the outer loop, and state that functions below it share.
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1000
#define COLUMNS 100

double a[ROWS][COLUMNS];
static unsigned state = 1;

__attribute__((noinline)) static unsigned next(void) {
  state = state * 1103515245u + 12345u;
  return state >> 16;
}

__attribute__((noinline)) static unsigned even(void) { return next() & ~1u; }

__attribute__((noinline)) static unsigned odd(void) { return next() | 1u; }

int main(int argc, char **argv) {
  int i, j;
  unsigned sum = 0;
  for (i = 0; i < ROWS; i++)      // outer
    for (j = 0; j < COLUMNS; j++) // inner
      a[i][j] = i * 0.5 + j;
  for (i = 0; i < 50; i++) // calls
    sum += i % 3 ? even() : odd();
  printf("%u %g\n", sum, a[3][4]);
  fflush(stdout);
  if (argc > 1)
    abort();
  return 0;
}
