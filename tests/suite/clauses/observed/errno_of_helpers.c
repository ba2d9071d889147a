// errno is read by a helper alone, right behind what sets it: loops of other functions keep their directives.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 800

static char text[N][16];
static double a[N], b[N];
static long v[N];

static long parse(const char *t) {
  char *end;
  errno = 0;
  long x = strtol(t, &end, 10);
  return errno || *end ? -1 : x;
}
// Its own loop is followed by its own look.
__attribute__((noinline)) static int roots(void) {
  errno = 0;
  // clauses: unchecked
  for (int i = 0; i < N; i++)
    b[i] = sqrt(a[i]);
  return errno;
}

int main(void) {
  int i, bad = 0;
  FILE *f = fopen("/dev/null", "r");
  // What is asked for here is what the call before left.
  if (!f)
    return errno;
  fclose(f);
  // clauses: none
  for (i = 0; i < N; i++)
    sprintf(text[i], "%d", i * 3);
  // clauses: none
  for (i = 0; i < N; i++)
    a[i] = sqrt(i) + pow(i, 0.3);
  // clauses: none
  for (i = 0; i < N; i++)
    v[i] = parse(text[i]);
  // clauses: reduction(+:bad)
  for (i = 0; i < N; i++)
    bad += parse(text[i]) < 0;
  bad += roots();
  for (i = 1; i < N; i++)
    b[0] += b[i] * 0.5 + v[i];
  printf("%g %d\n", b[0], bad);
  return 0;
}
