// Memory of an iteration's own: what a run shows of it, and what it does not show since it did not happen.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 2000

typedef struct {
  double x, y, z;
} Vector;

struct cell {
  int count;
  double value;
};

static Vector vectors[N], scaled[N];
static double roots[N], sums[N];
static int other;

// Handed over by value: every call has a copy of its own.
__attribute__((noinline)) static Vector scale(Vector v, double by) {
  v.x *= by;
  v.y *= by;
  v.z *= by;
  return v;
}

// What is read of t is what was set, if anything was.
__attribute__((noinline)) static int root(double of, double *t) {
  if (of < 0)
    return 0;
  *t = sqrt(of);
  return *t > 1;
}

__attribute__((noinline)) static double root_or_zero(double of) {
  double t;
  if (root(of, &t))
    return t;
  return 0;
}

__attribute__((noinline)) static double polynomial(const double *c, double x) {
  double s = 0;
  for (int k = 2; k >= 0; k--)
    s = s * x + c[k];
  return s;
}

__attribute__((noinline)) static void set(int i, int to) {
  if (i == 50)
    other = to;
}

__attribute__((noinline)) static void elements(double *grid, struct cell *pool, int n, int never) {
  int i, j;
  // clauses: private(j) -- a row of its own
  for (i = 0; i < n; i++) {
    double *row = grid + i * n;
    for (j = 0; j < n; j++)
      row[j] = i * j;
  }
  struct cell *cell;
  // clauses: private(cell)
  for (i = 0; i < n; i++) {
    cell = &pool[i];
    cell->count = i;
    cell->value = i * 2;
  }
  // clauses: unchecked private(cell) firstprivate(never) -- one of the writes did not run
  for (i = 0; i < n; i++) {
    cell = &pool[i];
    cell->value = i * 2;
    if (i >= never)
      pool[0].count += i;
  }
  // clauses: unchecked -- the same through one pointer
  for (i = 0; i < n; i++) {
    grid[i] = i * 3;
    if (i >= never)
      grid[0] += i;
  }
}

int main(void) {
  int i, n = 40;
  double coefficients[3] = {1, 2, 3}, s = 0;
  double *grid = malloc(n * n * sizeof *grid);
  struct cell *pool = calloc(n, sizeof *pool);
  // clauses: none
  for (i = 0; i < N; i++) {
    vectors[i].x = i;
    vectors[i].y = 2;
    vectors[i].z = i % 3;
  }
  // clauses: none -- copies of the call's own
  for (i = 0; i < N; i++)
    scaled[i] = scale(vectors[i], .5);
  // clauses: none -- a variable of the call's own
  for (i = 0; i < N; i++)
    roots[i] = root_or_zero(i % 7 - 3);
  // clauses: none -- the function only reads the coefficients
  for (i = 0; i < N; i++)
    sums[i] = polynomial(coefficients, i * 0.1);
  // clauses: words -- every thread would read what set changes
  for (int k = other; k < N; k++) {
    set(k, 90);
    sums[k] += k;
  }
  // clauses: words -- the same by the variable's name
  for (int k = other - 90; k < N; k++) {
    other = 90;
    sums[k] += k;
  }
  elements(grid, pool, n, N);
  for (i = 0; i < N; i++)
    s = s * .99 + scaled[i].x + scaled[i].z + roots[i] + sums[i];
  printf("%.10g %g %g %d %d\n", s, grid[41], pool[7].value, pool[7].count, other);
  return 0;
}
