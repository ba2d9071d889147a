/* Minima and maxima of which the index alone is kept. Every value occurs often, so that it shows which of equal ones is kept. */
#include <math.h>
#include <stdio.h>
#include <stddef.h>

#define N 3000
#define ROWS 60
#define AT(r, c) m[(r) * stride + (c)]
#define SCALED(r) (v[r] * factor)

struct point {
  double x, y;
};

static double v[N], w[N];
static int ok[N];
static double m[ROWS * ROWS], square[ROWS][ROWS];
static struct point points[N];
static const int stride = ROWS;

static void fill(void) {
  int i, j;
  for (i = 0; i < N; i++) {
    v[i] = (i * 37 % 101) * 0.5 - (i > 1000 ? 9 : 2);
    w[i] = ((i + 20) * 53 % 97) * 0.25 + 1;
    ok[i] = i % 7 < 3;
    points[i].x = v[i];
    points[i].y = w[i];
  }
  v[5] = NAN;
  for (i = 0; i < ROWS; i++)
    for (j = 0; j < ROWS; j++)
      square[i][j] = m[i * ROWS + j] = (i * 7 + j * 13) % 43 - 21;
}

/* The pivot of a column. */
static int pivot(const double *a, int n, int k) {
  int i, p = k;
  // clauses: patch -- two subscripts, the absolute value
  for (i = k + 1; i < n; i++)
    if (fabs(a[i * n + k]) > fabs(a[p * n + k]))
      p = i;
  return p;
}

/* With no iteration nothing is read. */
static int lowest(const double *a, int n) {
  int at = 0;
  // clauses: patch
  for (int i = 1; i < n; i++)
    if (a[i] < a[at])
      at = i;
  return at;
}

/* A value and its place, of those that are valid alone. */
static int best_valid(int n) {
  double most = -1e9;
  int i, at = -1;
  // clauses: patch
  for (i = 0; i < n; i++)
    if (w[i] > most && ok[i]) {
      most = w[i];
      at = i;
    }
  printf("%g\n", most);
  return at;
}

int main(void) {
  int i, k = 7;
  fill();
  printf("%d %d\n", best_valid(N), best_valid(5));

  int at = 0;
  // clauses: patch
  for (i = 1; i < N; i++)
    if (v[i] < v[at])
      at = i;
  printf("%d\n", at);

  size_t most = N - 1;
  // clauses: words -- the test steps the index
  for (size_t j = N - 1; j-- > 0;)
    if (w[most] < w[j])
      most = j;
  printf("%zu\n", most);

  int down = N - 1;
  // clauses: patch -- from the last one down
  for (i = N - 2; i >= 0; i--)
    if (w[down] < w[i])
      down = i;
  printf("%d\n", down);

  int row = k;
  // clauses: patch -- through a macro
  for (int r = k + 1; r < ROWS; r++) {
    if (fabs(AT(r, k)) > fabs(AT(row, k)))
      row = r;
  }
  printf("%d %d\n", row, pivot(m, ROWS, k));

  int far = 0;
  // clauses: patch -- of a structure, with sums
  for (i = 1; i < N; i++)
    if (points[i].x * points[i].x + points[i].y * points[i].y >
        points[far].x * points[far].x + points[far].y * points[far].y)
      far = i;
  printf("%d\n", far);

  int nearest = 0;
  double sum = 0, with = 0;
  // clauses: patch -- behind a further condition, with what is kept beside it and a sum
  for (i = 1; i < N; i++) {
    sum += w[i];
    if (ok[i] && w[i] < w[nearest]) {
      nearest = i;
      with = v[i];
    }
  }
  printf("%d %g %g\n", nearest, sum, with);

  const double *best = w;
  // clauses: patch -- a pointer
  for (const double *q = w + 1; q < w + N; q++)
    if (*q < *best)
      best = q;
  printf("%td\n", best - w);

  printf("%d %d\n", lowest(w, N), lowest(NULL, 0));

  int last = 0;
  // clauses: words -- the last of equal ones
  for (i = 1; i < N; i++)
    if (w[i] <= w[last])
      last = i;
  printf("%d\n", last);

  int mixed = 0;
  // clauses: words -- in every iteration another column is compared
  for (i = 1; i < ROWS; i++)
    if (square[i][i % 3] < square[mixed][i % 3])
      mixed = i;
  printf("%d\n", mixed);

  int other = 0;
  // clauses: words -- another array at the kept index
  for (i = 1; i < N; i++)
    if (v[i] < w[other])
      other = i;
  printf("%d\n", other);

  int scaled = 0;
  // clauses: words -- a macro has what the loop declares
  for (i = 1; i < N; i++) {
    const double factor = stride;
    if (SCALED(i) < SCALED(scaled))
      scaled = i;
  }
  printf("%d\n", scaled);

  int chosen = 0;
  // clauses: words -- no `if`
  for (i = 1; i < N; i++)
    chosen = w[i] < w[chosen] ? i : chosen;
  printf("%d\n", chosen);

  int written = 0;
  double z[ROWS];
  for (i = 0; i < ROWS; i++)
    z[i] = (i + 3) % 5;
  // clauses: words -- the loop changes what is compared
  for (i = 1; i < ROWS; i++) {
    if (z[i] < z[written])
      written = i;
    z[i] += 1;
  }
  printf("%d %g\n", written, z[1]);

  int shown = 0, changes = 0;
  // clauses: words -- how often it changes depends on the order
  for (i = 1; i < N; i++)
    if (w[i] < w[shown]) {
      shown = i;
      changes++;
    }
  printf("%d %d\n", shown, changes);
  return 0;
}
