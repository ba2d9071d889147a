/* Perfect nests of three loops and more, of which one directive runs as many as it takes, and others that only look alike. */
#include <math.h>
#include <stdio.h>

#define TWO 2
#define FEW 3
#define MANY 300
#define LONG(x) (sqrt((x) + 2) / (1 + (x)) + 1 / (2 + sqrt(x)))

static double a[TWO][FEW][MANY], b[TWO][FEW][MANY], sums[MANY];
static double c[4][5][MANY], d[4][5][MANY];
static double deep[2][3][3][5][40];
static int low, high = MANY, planes = TWO, bounds[2] = {0, FEW}, limits[5] = {90, 120, 150, 180, 210};
static struct size { int planes, rows, columns; } size = {TWO, FEW, MANY};
static volatile int columns = MANY;

/* Declared in front of the loops, in braces and not. */
static void declared_outside(int n) {
  int i, j, k;
  double t;
  // clauses: collapse(3) private(t)
  for (i = 0; i < TWO; i++) {
    /* planes */
    for (j = 0; j < FEW; j++) { // rows
      for (k = 0; k < n; k++) {
        t = LONG(b[i][j][k]);
        a[i][j][k] = t * t + LONG(t);
      }
    }
  }
  // clauses: collapse(3) private(t)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < n; k++) {
        t = LONG(b[i][j][k]);
        a[i][j][k] += t * t + LONG(t);
      }
}

static void declared_in_headers(void) {
  // clauses: collapse(3)
  for (int i = 0; i < TWO; i++)
    for (int j = 0; j < FEW; j++)
      for (int k = 0; k < MANY; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 2);
  // clauses: collapse(3) -- backwards, and by two
  for (long i = TWO - 1; i >= 0; --i)
    for (int j = FEW; j > 0; j--)
      for (unsigned k = 0; k < MANY; k += 2)
        a[i][j - 1][k] += LONG(b[i][j - 1][k]) + LONG(b[i][j - 1][k] + 2);
}

static void other_bounds(void) {
  int i, j, k;
  // clauses: collapse(3) -- globals, a fixed element, members
  for (i = 0; i < planes; i++)
    for (j = bounds[0]; j < bounds[1]; j++)
      for (k = low; k < high; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 3);
  // clauses: collapse(3)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < size.rows; j++)
      for (k = 0; k < size.columns - 1; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 4);
}

static void through_pointers(double (*restrict to)[FEW][MANY], const double (*restrict from)[FEW][MANY], int rows) {
  // clauses: collapse(3)
  for (int i = 0; i < TWO; i++)
    for (int j = 0; j < rows; j++)
      for (int k = 0; k < MANY; k++)
        to[i][j][k] += LONG(from[i][j][k]) + LONG(from[i][j][k] + 5);
}

/* Members of what a pointer leads to: it is there where the outermost loop's test reads another. */
static void members_behind_pointers(const struct size *size, const int *sizes, const struct size *other) {
  // clauses: collapse(3)
  for (int i = 0; i < size->planes; i++)
    for (int j = 0; j < size->rows; j++)
      for (int k = 0; k < size->columns; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 6);
  // clauses: none -- nothing shows that it is there
  for (int i = 0; i < TWO; i++)
    // clauses: collapse(2)
    for (int j = 0; j < size->rows; j++)
      for (int k = 0; k < size->columns; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 6);
  // clauses: none
  for (int i = 0; i < size->planes; i++)
    for (int j = 0; j < size->rows; j++)
      for (int k = 0; k < other->columns; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 6);
  // clauses: words
  for (int i = 0; i < (size ? size->planes : 1); i++)
    for (int j = 0; j < size->rows; j++)
      for (int k = 0; k < size->columns; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 6);
  // clauses: none -- an array may end in front of the others
  for (int i = 0; i < sizes[0]; i++)
    for (int j = 0; j < sizes[1]; j++)
      for (int k = 0; k < sizes[2]; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 6);
  // clauses: none -- how often it is looked at shows
  for (int i = 0; i < TWO; i++)
    for (int j = 0; j < FEW; j++)
      for (int k = 0; k < columns; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 7);
}

/* What is reduced over all loops, and over the outer ones alone. */
static double reduced(void) {
  int i, j, k, most = 0;
  double s = 0;
  // clauses: collapse(3) reduction(+:s) reduction(max:most)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++) {
        int l = (int)(64 * LONG(b[i][j][k]));
        if (l > most)
          most = l;
        s += (int)(8 * LONG(b[i][j][k] + l)) * 0.125;
      }
  // clauses: collapse(3) reduction(+:sums)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        sums[k] += (int)(8 * LONG(b[i][j][k])) + (int)(16 * LONG(b[i][j][k] + 9));
  return s + most;
}

/* No more loops than it takes. */
static void enough(void) {
  int i, j, k, l, m;
  // clauses: collapse(2) private(k) -- 20 shares, each a loop: another division would cost more than it brings
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++)
      for (k = 0; k < MANY; k++)
        c[i][j][k] = LONG(d[i][j][k]) + LONG(d[i][j][k] + 1);
  // clauses: collapse(2) private(j) -- 900
  for (i = 0; i < FEW; i++)
    for (k = 0; k < MANY; k++)
      for (j = 0; j < 5; j++)
        c[i][j][k] += LONG(d[i][j][k]) + LONG(d[i][j][k] + 1);
  // clauses: private(i,j) -- many iterations
  for (k = 0; k < MANY; k++) // no hint
    for (i = 0; i < 4; i++)
      for (j = 0; j < 5; j++)
        c[i][j][k] += LONG(d[i][j][k]) + LONG(d[i][j][k] + 2);
  // clauses: collapse(4) private(m) -- 90, each a loop
  for (i = 0; i < 2; i++)
    for (j = 0; j < 3; j++)
      for (k = 0; k < 3; k++)
        for (l = 0; l < 5; l++)
          for (m = 0; m < 40; m++)
            deep[i][j][k][l][m] = LONG((double)i + j + k + l + m) + LONG((double)m);
  // clauses: private(j,k) -- short iterations
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        a[i][j][k] += b[i][j][k];
  // clauses: private(j,k) -- too short for two divisions
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        a[i][j][k] += sqrt(b[i][j][k]) / (1 + b[i][j][k]);
}

/* Bounds of the innermost loop that differ between iterations of the outermost one: the outer two may still run as one, or the inner two. */
static void bounds_that_change(int n) {
  int i, j, k;
  // clauses: collapse(2) private(k) schedule(static,1)
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++)
      for (k = 0; k < n - i * 20; k++)
        c[i][j][k] += LONG(d[i][j][k]) + LONG(d[i][j][k] + 5);
  // clauses: collapse(2) private(k)
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++)
      for (k = j; k < n; k++)
        c[i][j][k] += LONG(d[i][j][k]) + LONG(d[i][j][k] + 6);
  // clauses: private(j,k) schedule(static,1)
  for (i = 0; i < 4; i++)
    // clauses: collapse(2)
    for (j = 0; j < 5 - i; j++)
      for (k = 0; k < n; k++)
        c[i][j][k] += LONG(d[i][j][k]) + LONG(d[i][j][k] + 7);
  // clauses: private(j,k)
  for (i = 0; i < TWO; i++)
    // clauses: private(k) -- which element it is might be wrong where there are no iterations
    for (j = 0; j < FEW; j++)
      for (k = 0; k < limits[i]; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 8);
  // clauses: private(j,k)
  for (i = 0; i < TWO; i++)
    // clauses: private(k)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < limits[j]; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 8);
}

/* What may not be computed where the nest has no iterations. */
static void bounds_that_fail(int n, int parts, int step, int which) {
  int i, j, k;
  // clauses: private(j)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < n / parts; j++)
      a[i][0][j] += LONG(b[i][0][j]) + LONG(b[i][0][j] + 1);
  // clauses: private(j,k)
  for (i = 0; i < TWO; i++)
    // clauses: private(k)
    for (j = 0; j < FEW; j++)
      for (k = n % parts; k < n; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 9);
  // clauses: private(j,k)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < n; k += step)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 10);
  // clauses: private(j,k)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < limits[which]; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 11);
  // clauses: collapse(3)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = n / 4; k < n; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 12);
}

/* Something stands between the middle and the innermost loop, or the outer ones. */
static double between(void) {
  int i, j, k;
  double scale, s = 0;
  // clauses: collapse(2) private(k,scale)
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++) {
      scale = i * 0.5 + j;
      for (k = 0; k < MANY; k++)
        c[i][j][k] = scale * LONG(d[i][j][k]) + LONG(d[i][j][k] + 1);
    }
  // clauses: private(j,k) reduction(+:s)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++) {
      for (k = 0; k < MANY; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 2);
      s += i;
    }
  // clauses: private(j,k) reduction(+:s)
  for (i = 0; i < TWO; i++) {
    s += i;
    // clauses: collapse(2)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 3);
  }
  // clauses: private(j,k)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      if (j != 7)
        for (k = 0; k < MANY; k++)
          a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 4);
  return s;
}

/* What one loop of the nest hands on to its own iterations alone. */
static void handed_on(void) {
  int i, j, k;
  // clauses: private(j,k)
  for (i = 0; i < TWO; i++)
    for (j = 1; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        a[i][j][k] = LONG(a[i][j - 1][k]) + LONG(b[i][j][k] + 4);
  // clauses: collapse(2) private(k)
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++)
      for (k = 1; k < MANY; k++)
        c[i][j][k] = LONG(c[i][j][k - 1]) + LONG(d[i][j][k] + 4);
  // clauses: collapse(2) private(k) -- an element each
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++)
      for (k = 0; k < MANY; k++)
        c[i][j][0] += (int)(8 * LONG(d[i][j][k])) + (int)(16 * LONG(d[i][j][k] + 4));
}

/* Indexes that are read behind the nest. */
static double read_behind(void) {
  int i, j, k;
  double t = 0;
  // clauses: words
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 5);
  t += k;
  // clauses: private(k) lastprivate(j)
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        a[i][j][k] += LONG(b[i][j][k]) + LONG(b[i][j][k] + 5);
  t += j;
  return t;
}

int main(void) {
  int i, j, k, l;
  double s = 0;
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        b[i][j][k] = i * 0.25 + j + k % 17;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++)
      for (k = 0; k < MANY; k++)
        d[i][j][k] = i * 0.25 + j + k % 13;
  declared_outside(MANY);
  declared_in_headers();
  other_bounds();
  through_pointers(a, (const double (*)[FEW][MANY])b, FEW);
  members_behind_pointers(&size, (const int[]){TWO, FEW, MANY}, &size);
  s += reduced();
  enough();
  bounds_that_change(MANY);
  bounds_that_fail(MANY, 1, 1, 3);
  handed_on();
  s += between() + read_behind();
  for (i = 0; i < TWO; i++)
    for (j = 0; j < FEW; j++)
      for (k = 0; k < MANY; k++)
        s += a[i][j][k] * (i + 1) + sums[k] + c[i][j][k];
  for (i = 0; i < 2; i++)
    for (j = 0; j < 3; j++)
      for (k = 0; k < 3; k++)
        for (l = 0; l < 40; l++)
          s += deep[i][j][k][l % 5][l];
  printf("%.9g\n", s);
  return 0;
}
