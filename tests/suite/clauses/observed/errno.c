// What iterations leave in errno, which the code behind some of the loops reads.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 800

static char text[N][16];
static double a[N], b[N];
static long v[N];

// Looks at what it set itself: it needs nothing from other functions.
static long parse(const char *t) {
  long x;
  errno = 0;
  x = strtol(t, 0, 10);
  return errno ? -1 : x;
}
static double root(double x) {
  return sqrt(x) + 1;
}

int main(void) {
  int i;
  // clauses: unchecked -- sprintf may set it
  for (i = 0; i < N; i++)
    sprintf(text[i], "%d", i * 3);
  // clauses: none -- nothing may
  for (i = 0; i < N; i++)
    a[i] = floor(i * 0.3) + fabs(i - 3.0) + cbrt(i) + strlen(text[i]);
  errno = 0;
  // clauses: unchecked -- strtol may
  for (i = 0; i < N; i++)
    v[i] = strtol(text[i], 0, 10);
  printf("%d\n", errno);
  // clauses: unchecked -- sqrt, called by a function
  for (i = 0; i < N; i++)
    b[i] = root(a[i]);
  // clauses: unchecked -- in what a function calls it is set and read
  for (i = 0; i < N; i++)
    v[i] += parse(text[i]);
  // clauses: none -- a function of the program alone
  for (i = 0; i < N; i++)
    b[i] += a[i] * v[i];
  for (i = 1; i < N; i++)
    b[0] += b[i] * 0.5;
  printf("%g\n", b[0]);
  return 0;
}
