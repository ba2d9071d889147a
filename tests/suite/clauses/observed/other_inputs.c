// What this run did not do, but the source says: with other inputs a directive would be wrong.
#include <stdio.h>
#include <string.h>

#define N 300

static double a[N], b[N], c[N];
static int errors;
static char words[N][8];

static void bad(int i) { errors += i; }

static int to[N], own[N];

static void through(double *p, const double *q, int rare) {
  int i;
  // clauses: unchecked -- what another pointer leads to, which was not read
  for (i = 0; i < N; i++) {
    p[i] += 1;
    if (rare)
      p[i] *= q[to[i]];
  }
  // clauses: unchecked -- a loop that did not run
  for (i = 0; i < N; i++) {
    double s = 0;
    int j;
    for (j = 0; j < rare * i; j++)
      s += q[j];
    p[i] += s;
  }
}

static void borders(double *p, const double *q, int n, int some) {
  int i;
  // clauses: none -- the first and the last iteration, of which there is one each
  for (i = 0; i < n; i++) {
    if (i == 0)
      p[0] = q[0];
    else if (i == n - 1)
      p[n - 1] = q[n - 1];
    else
      p[i] = q[i - 1] + q[i + 1];
  }
  // clauses: words -- what one iteration did, and others may
  for (i = 0; i < n; i++) {
    if (q[i] == some)
      p[to[i]] = q[i];
    p[i] += 1;
  }
}

static void label(int i, char *to) { sprintf(to, "%d", i % 7); }

int main(int argc, char **argv) {
  char unit[16] = "none", text[16];
  double t[8], s = 0;
  int i, j;
  // clauses: none
  for (i = 0; i < N; i++)
    a[i] = i % 17;
  for (i = 0; i < N; i++)
    sprintf(words[i], "w%d", i % 5);
  for (i = 0; i < N; i++) {
    own[i] = i;
    to[i] = i / 2;
  }
  // clauses: unchecked firstprivate(unit) -- where it is not set
  for (i = 0; i < N; i++) {
    if (a[i] >= 0)
      strcpy(unit, words[i]);
    b[i] = strlen(unit) + unit[0];
  }
  // clauses: unchecked -- a call that did not run
  for (i = 0; i < N; i++) {
    if (a[i] < 0)
      bad(i);
    b[i] += a[i] * 3;
  }
  // clauses: unchecked -- output that did not run
  for (i = 0; i < N; i++) {
    if (argc > 3)
      printf("%d\n", i);
    b[i] += a[i] * 5;
  }
  // clauses: private(j) lastprivate(t) -- read behind the loop, filled as a whole
  for (i = 0; i < N; i++) {
    for (j = 0; j < 8; j++)
      t[j] = a[i] + j;
    b[i] += t[1] * t[3];
  }
  if (argc > 3)
    s = t[2];
  // clauses: unchecked -- an element of the iteration before
  for (i = 1; i < N; i++) {
    double r = a[i];
    if (argc > 3)
      r += c[i - 1];
    c[i] = r;
  }
  // clauses: unchecked -- an element of any iteration, which was not read
  for (i = 0; i < N; i++) {
    a[i] = i % 19;
    if (argc > 3)
      b[i] = a[to[i]];
  }
  // clauses: unchecked -- the same, in one line
  for (i = 0; i < N; i++)
    c[i] = argc > 3 ? c[to[i]] : a[i];
  // clauses: none -- the same, and it was read: this run's elements are the iteration's own
  for (i = 0; i < N; i++)
    c[i] = argc < 3 ? c[own[i]] + 1 : a[i];
  // clauses: words -- an element that was not written, beside another that was
  for (i = 0; i < N; i++) { if (argc > 3) b[to[i]] = 1; else c[i] += 2; }
  // clauses: unchecked -- output that did not run, in a line with more
  for (i = 0; i < N; i++) { if (argc > 3) printf("%d\n", i); b[i] += 1; }
  through(a, b, argc > 3);
  c[7] = 1000;
  borders(b, c, N, 1000);
  // clauses: firstprivate(text) -- set by a function in every iteration
  for (i = 0; i < N; i++) {
    label(i, text);
    b[i] += text[0];
  }
  for (i = 0; i < N; i++)
    s += b[i] + c[i];
  printf("%g %d\n", s, errors);
  return 0;
}
