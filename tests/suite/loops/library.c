// levels: O0 O1 O3
// Functions of the C library: what they read and write is what they are asked to, and no more.
#define _GNU_SOURCE
#include "show.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
enum { N = 64 };
static char numbers[N * 4 + 1], words[N][16], lines[N][16], *cursor;
static double x[N], part[N];
static float angle[N], sines[N], cosines[N];
static int exponent[N];
static long value[N], length[N];

static void reader(void) {
  cursor = numbers;
  // expect: SERIAL
  // carried: cursor +1->+1 distance 1
  // the end of one number is where the next begins
  for (int i = 0; i < N; i++)
    x[i] = strtod(cursor, &cursor);
}

static void own_ends(void) {
  // expect: DOALL
  // clauses:
  // every iteration's end is its own
  for (int i = 0; i < N; i++) {
    char *end;
    value[i] = strtol(words[i], &end, 10);
    length[i] = end - words[i];
  }
}

static void no_ends(void) {
  // expect: DOALL
  // clauses:
  // no end is asked for: nothing is written at address 0
  for (int i = 0; i < N; i++)
    value[i] += strtol(words[i], NULL, 10) + atoi(words[i]) + (long)strtod(words[i], NULL);
}

static void parts(void) {
  // expect: DOALL
  // clauses:
  // an int of four bytes each: neighbours do not meet
  for (int i = 0; i < N; i++)
    x[i] = frexp(x[i], &exponent[i]);
  // expect: DOALL
  // clauses:
  // two floats of four bytes each
  for (int i = 0; i < N; i++)
    sincosf(angle[i], &sines[i], &cosines[i]);
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    x[i] += remquo(x[i], 0.1, &exponent[i]) + modf(x[i], &part[i]);
}

static void generator(void) {
  unsigned short state[3] = {1, 2, 3};
  // expect: SERIAL
  // carried: state[] +1->+1 distance 1
  for (int i = 0; i < N; i++)
    x[i] += erand48(state);
}

static long sizes(void) {
  long n = 0;
  // expect: DOALL_REDUCTION(+:n)
  // clauses: reduction(+:n)
  // nothing is written, neither at NULL nor where the size is 0
  for (int i = 0; i < N; i++)
    n += snprintf(NULL, 0, "%d", i) + snprintf(lines[0], 0, "%d", i);
  return n;
}

static void cut(void) {
  // expect: DOALL
  // clauses:
  // no more than four bytes are written, whatever lies behind them
  for (int i = 0; i < N; i++)
    snprintf(lines[i], 4, "%d%s", i * 1000, words[i]);
}

static void prefixes(void) {
  // expect: CARRIED
  // carried: lines[] +1->+1 distance 1
  for (int i = 1; i < N; i++)
    snprintf(lines[i], sizeof lines[i], "%d%.9s", i % 10, lines[i - 1]);
}

static long limits(void) {
  long n = 0;
  // expect: DOALL_REDUCTION(+:n)
  // clauses: reduction(+:n)
  // sizes without a limit, texts without an end, where what is looked for comes sooner
  for (int i = 0; i < N; i++) {
    char open[4] = {'7', ',', 'x', 'y'};
    n += (char *)memchr(words[i], 0, SIZE_MAX) - words[i];
    n += strnlen(words[i], SIZE_MAX) + (strncmp(words[i], "a", SIZE_MAX) > 0);
    n += strtol(open, NULL, 10) + atoi(open) + (strncasecmp(open, "8", 1000) < 0);
  }
  return n;
}

int main(void) {
  char *p = numbers;
  for (int i = 0; i < N; i++) {
    p += sprintf(p, "%d ", i);
    sprintf(words[i], "%d", i * 7919 % 1000);
    angle[i] = (float)i;
  }
  reader(), SHOW(x), own_ends(), no_ends(), parts(), SHOW(x), generator();
  long n = sizes() + limits();
  cut(), SHOW(lines), prefixes();
  SHOW(x), SHOW(lines), SHOW(value), SHOW(length), SHOW(exponent), SHOW(sines), SHOW(cosines), SHOW(n);
  return 0;
}
