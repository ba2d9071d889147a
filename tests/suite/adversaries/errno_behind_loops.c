/* Once `#pragma omp parallel for` (the first observed, those of libm complete): iterations set `errno`, of which every thread has its own, and the code
   behind the loop reads what one thread left. Directly, in a helper, by `perror`, `strerror` and `%m`; set directly, by helpers, and through a pointer. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 1200
static char s[N][32];
static long v[N];
static double x[N], d[N];
static int check(void) { return errno; }
static long number(const char *t) { return strtol(t, 0, 10); }
static double root(double t) { return t < 0 ? sqrt(t) : 1; }
int main(int argc, char **argv) {
  int i, ends = 0;
  double sum = 0, (*through)(double) = argc > 5 ? cos : root;
  for (i = 0; i < N; i++) {
    x[i] = i - 1000;
    sprintf(s[i], i == 1100 ? "99999999999999999999" : "%d", i);
  }
  errno = 0;
  for (i = 0; i < N; i++)
    v[i] = strtol(s[i], 0, 10);
  printf("strtol %d\n", errno == ERANGE);
  errno = 0;
  for (i = 0; i < N; i++)
    v[i] += number(s[i]);
  printf("in a helper %d\n", check());
  errno = 0;
  for (i = 0; i < N; i++)
    v[i] += atoi(s[i]);
  printf("atoi %d\n", check());
  errno = 0;
  for (i = 0; i < N; i++)
    d[i] = sqrt(200 - i);
  printf("sqrt %s\n", strerror(errno));
  errno = 0;
  for (i = 0; i < N; i++)
    d[i] += pow(i, i > 300 && i < 600 ? 400.0 : 2.0) > 1;
  printf("pow %m\n");
  errno = 0;
  for (i = 0; i < N; i++)
    sum += exp(2.0 * x[i]) > 1;
  if (errno)
    perror("exp");
  printf("exp %g %d\n", sum, errno);
  errno = 0;
  for (i = 0; i < N; i++)
    d[i] += fmod(x[i], i % 7) > 0;
  printf("fmod %d\n", errno);
  errno = 0;
  for (i = 0; i < N; i++)
    d[i] += through(x[i] + 800) > 0;
  printf("through a pointer %d\n", errno);
  errno = 0;
  for (i = 0; i < N; i++) {
    char *q = malloc(i == 700 ? (size_t)-1 / 3 : 16);
    v[i] += q != 0;
    free(q);
  }
  printf("malloc %d\n", errno);
  for (i = 0; i < N; i++)
    ends += v[i] % 7 + d[i] > 3;
  printf("%d\n", ends);
  return 0;
}
