/* Minima and maxima with what is kept beside them: the index at which they were found first, and other things of that iteration. Every value
   occurs often, so that it shows which of equal ones is kept. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define N 3000

static double a[N], b[N];
static int m[60][50];

static void fill(void) {
  int i, j;
  for (i = 0; i < N; i++) {
    a[i] = (i * 37 % 11) * 0.5 - 2;
    b[i] = (i * 53 % 17) * 0.25;
  }
  a[5] = NAN;
  for (i = 0; i < 60; i++)
    for (j = 0; j < 50; j++)
      m[i][j] = (i * 7 + j * 13) % 43;
}

int main(void) {
  int i, j;
  fill();

  double best = a[0];
  int at = 0;
  // clauses: patch
  for (i = 1; i < N; i++) {
    if (a[i] > best) {
      best = a[i];
      at = i;
    }
  }
  printf("%g %d\n", best, at);

  double low = INFINITY;
  long where = -1;
  // clauses: patch -- from the last one down
  for (long k = N - 1; k >= 0; k--)
    if (low > b[k]) {
      low = b[k];
      where = k;
    } /* one statement */
  printf("%g %ld\n", low, where);

  double pivot = 0;
  const double *found = NULL;
  size_t row = 0;
  double sum = 0;
  // clauses: patch -- with a second variable, and a sum beside it
  for (size_t k = 0; k < N; k++) {
    double x = fabs(a[k] - b[k]);
    sum += b[k];
    if (x > pivot) {
      pivot = x;
      row = k;
      found = &a[k];
    }
  }
  printf("%g %zu %td %g\n", pivot, row, found - a, sum);

  double most = -DBL_MAX, least = DBL_MAX;
  int most_at = 0, least_at = 0;
  // clauses: patch -- two at once
  for (i = 0; i < N; i++) {
    if (b[i] > most) {
      most = b[i];
      most_at = i;
    }
    if (b[i] < least) {
      least = b[i];
      least_at = i;
    }
  }
  printf("%g %d %g %d\n", most, most_at, least, least_at);

  int top = -1, ti = -1, tj = -1;
  // clauses: patch -- of two loops, by the outer index
  for (i = 0; i < 60; i++) {
    for (j = 0; j < 50; j++)
      if (m[i][j] > top) {
        top = m[i][j];
        ti = i;
        tj = j;
      }
  }
  printf("%d %d %d\n", top, ti, tj);

  double last = -1;
  int last_at = 0;
  // clauses: words -- the last of equal ones
  for (i = 0; i < N; i++) {
    if (b[i] >= last) {
      last = b[i];
      last_at = i;
    }
  }
  printf("%g %d\n", last, last_at);

  double high = 0;
  int high_at = 0;
  // clauses: words -- the position need not have the order of the index
  for (i = 0; i < N; i++) {
    if (b[i] > high) {
      high = b[i];
      high_at = N - i;
    }
  }
  printf("%g %d\n", high, high_at);

  double wide = 0;
  int wide_at = 0;
  // clauses: words -- an `int` may not hold every index
  for (size_t k = 0; k < N; k++) {
    if (b[k] > wide) {
      wide = b[k];
      wide_at = k;
    }
  }
  printf("%g %d\n", wide, wide_at);

  double next = 0;
  int next_at = 0;
  // clauses: words -- something follows on the loop's last line
  for (i = 0; i < N; i++) {
    if (b[i] > next) {
      next = b[i];
      next_at = i;
    }
  } printf("%g %d\n", next, next_at);

  double twice = 0;
  int twice_at = 0, seen = 0;
  // clauses: words -- something else is kept
  for (i = 0; i < N; i++) {
    if (b[i] > twice) {
      twice = b[i];
      twice_at = i;
    }
    if (b[i] == 1)
      seen = i;
  }
  printf("%g %d %d\n", twice, twice_at, seen);

  double part = 0;
  int part_at = 0;
  // clauses: words -- the preprocessor decides what the loop is
  for (i = 0; i < N; i++) {
#ifdef OTHER
    b[i] = 0;
#endif
    if (b[i] > part) {
      part = b[i];
      part_at = i;
    }
  }
  printf("%g %d\n", part, part_at);
  return 0;
}
