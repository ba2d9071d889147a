// levels: O0 O1 O3
// Minima and maxima of which the index alone is kept: no iteration waits for an earlier one.
#include <math.h>
#include <stdio.h>
enum { N = 64 };
static double v[N], w[N], m[N][N];

static int lowest(void) {
  int at = 0;
  // expect: DOALL_REDUCTION(argmin:at) sp=63
  // clauses: words -- lines around the loop
  for (int i = 1; i < N; i++)
    if (v[i] < v[at])
      at = i;
  return at;
}

static int pivot(int k) {
  int p = 0;
  // expect: DOALL_REDUCTION(argmax:p) sp=63
  // clauses: words -- lines around the loop
  for (int i = 1; i < N; i++)
    if (fabs(m[i][k]) > fabs(m[p][k]))
      p = i;
  return p;
}

static const double *pointer(void) {
  const double *best = v;
  // expect: DOALL_REDUCTION(argmin:best) sp=63
  // clauses: words -- lines around the loop
  for (const double *q = v + 1; q < v + N; q++)
    if (*q < *best)
      best = q;
  return best;
}

static int last(void) {
  int at = 0;
  // expect: DOALL_REDUCTION(argmin:at) sp=63
  // clauses: words -- the last of equal ones
  for (int i = 1; i < N; i++)
    if (v[i] <= v[at])
      at = i;
  return at;
}

// What is at the kept index is not what takes its place.
static int other(void) {
  int at = 0;
  // expect: SERIAL
  // carried: at +1->+1 distance any
  for (int i = 1; i < N; i++)
    if (v[i] < w[at])
      at = i;
  return at;
}

// In every iteration another column decides.
static int columns(void) {
  int at = 0;
  // expect: SERIAL
  // carried: at +1->+1 distance any
  for (int i = 1; i < N; i++)
    if (m[i][i % 3] < m[at][i % 3])
      at = i;
  return at;
}

int main(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    v[i] = (i * 37 + 11) % 23;
    w[i] = (i * 29 + 5) % 31;
    // expect: DOALL
    // clauses:
    for (int j = 0; j < N; j++)
      m[i][j] = (i * 7 + j * 13) % 43 - 21;
  }
  printf("%d %d %d %d %d %d\n", lowest(), pivot(5), (int)(pointer() - v), last(), other(), columns());
  return 0;
}
