/* Perfect nests of few outer and longer inner iterations, which one directive runs as one, and others that only look alike. */
#include <math.h>
#include <stdio.h>

#define FEW 6
#define MANY 300
#define LONG(x) (sqrt((x) + 2) / (1 + (x)) + 1 / (2 + sqrt(x)))

static double a[FEW][MANY], b[FEW][MANY], sums[MANY];
static int whole[FEW][MANY];
static int low, high = MANY, limits[FEW + 1], bounds[2] = {0, MANY};

static int count(void) { return high; }

/* Declared in front of the loops, in braces. */
static void declared_outside(int n) {
  int i, j;
  double t;
  // clauses: collapse(2) private(t) -- indexes of the nest are private by themselves
  for (i = 0; i < FEW; i++) {
    /* all of it */
    for (j = 0; j < n; j++) { // in steps
      t = LONG(b[i][j]);
      a[i][j] = t * t + LONG(t);
    }
  }
}

/* The inner index is read behind the nest. */
static int read_behind(int n) {
  int i, j = 0;
  // clauses: lastprivate(j)
  for (i = 0; i < FEW; i++)
    for (j = 0; j < n; j++)
      a[i][j] += LONG(b[i][j]) + LONG(b[i][j] + 1);
  return j;
}

static void globals_as_bounds(void) {
  // clauses: collapse(2)
  for (int i = 0; i < FEW; i++)
    for (int j = low; j < high; j += 3)
      a[i][j] = LONG(b[i][j]) + LONG(b[i][j] + 2);
  // clauses: collapse(2)
  for (int i = 0; i < FEW; i++)
    for (int j = bounds[0]; j < bounds[1] - 1; j++)
      a[i][j] += LONG(b[i][j]) + LONG(b[i][j] + 3);
  // clauses: collapse(2) -- backwards
  for (int i = FEW - 1; i >= 0; --i)
    for (long j = high - 1; j >= low; j -= 2)
      a[i][j] -= LONG(b[i][j]) + LONG(b[i][j] + 4);
}

/* Bounds that differ between the outer iterations, or may. */
static void bounds_that_change(void) {
  int i, j;
  // clauses: private(j) schedule(static,1)
  for (i = 0; i < FEW; i++)
    for (j = 0; j < 50 + i * 40; j++)
      a[i][j] = LONG(b[i][j]) + LONG(b[i][j] + 5);
  // clauses: private(j) schedule(static,1)
  for (i = 0; i < FEW; i++)
    for (j = i; j < 150; j++)
      a[i][j] = LONG(b[i][j]) + LONG(b[i][j] + 6);
  // clauses: private(j)
  for (i = 0; i < FEW; i++)
    for (j = limits[i]; j < limits[i + 1]; j++)
      a[i][j] = LONG(b[i][j]) + LONG(b[i][j] + 7);
  // clauses: unchecked private(j) -- what a function that is called reads
  for (i = 0; i < FEW; i++)
    for (j = 0; j < count(); j++)
      a[i][j] = LONG(b[i][j]) + LONG(b[i][j] + 8);
}

/* What is reduced over both loops, and over the outer one alone. */
static double reduced(void) {
  int i, j, most = 0;
  double s = 0;
  // clauses: collapse(2) reduction(+:s) reduction(max:most)
  for (i = 0; i < FEW; i++)
    for (j = 0; j < MANY; j++) {
      int k = (int)(64 * LONG(b[i][j]));
      if (k > most)
        most = k;
      s += (int)(8 * LONG(b[i][j] + k)) * 0.125;
    }
  // clauses: collapse(2) reduction(+:sums)
  for (i = 0; i < FEW; i++)
    for (j = 0; j < MANY; j++)
      sums[j] += (int)(8 * LONG(b[i][j])) + (int)(16 * LONG(b[i][j] + 9));
  return s + most;
}

/* Something stands between the loops, or behind the inner one. */
static double between(void) {
  int i, j;
  double scale, s = 0;
  // clauses: private(j,scale)
  for (i = 0; i < FEW; i++) {
    scale = i * 0.5;
    for (j = 0; j < MANY; j++)
      a[i][j] = scale * LONG(b[i][j]) + LONG(b[i][j] + 1);
  }
  // clauses: private(j) reduction(+:s)
  for (i = 0; i < FEW; i++) {
    for (j = 0; j < MANY; j++)
      a[i][j] += LONG(b[i][j]) + LONG(b[i][j] + 2);
    s += i;
  }
  // clauses: private(j)
  for (i = 0; i < FEW; i++) {
    for (j = 0; j < MANY; j++)
      a[i][j] += LONG(b[i][j]) + LONG(b[i][j] + 3);
    ;
  }
  // clauses: private(j)
  for (i = 0; i < FEW; i++)
    if (i != 7)
      for (j = 0; j < MANY; j++)
        a[i][j] += LONG(b[i][j]) + LONG(b[i][j] + 4);
  // clauses: private(j)
  for (i = 0; i < FEW; i++) {
#ifdef SCALE
    scale = 1;
#endif
    for (j = 0; j < MANY; j++)
      a[i][j] += LONG(b[i][j]) + LONG(b[i][j] + 5);
  }
  return s;
}

/* Short iterations: the division would cost more than they do. */
static void short_iterations(void) {
  int i, j;
  // clauses: private(j)
  for (i = 0; i < FEW; i++)
    for (j = 0; j < MANY; j++)
      a[i][j] += b[i][j];
  // clauses: private(i) -- many iterations
  for (j = 0; j < MANY; j++) // no hint
    for (i = 0; i < FEW; i++)
      a[i][j] += LONG(b[i][j]) + LONG(b[i][j] + 5);
}

/* Whole numbers: threads have copies of what is only read, and the loops run as one all the same. */
static void whole_numbers(int n, int by) {
  // clauses: collapse(2) firstprivate(n,by)
  for (int i = 0; i < FEW; i++)
    for (int j = 0; j < n; j++)
      whole[i][j] = (int)(LONG(b[i][j]) * 100) + (int)(LONG(b[i][j] + 5) * by);
}

int main(void) {
  int i, j;
  double s = 0;
  for (i = 0; i < FEW; i++) {
    limits[i + 1] = limits[i] + 50 + 10 * i;
    for (j = 0; j < MANY; j++)
      b[i][j] = i * 0.25 + j % 17;
  }
  declared_outside(MANY);
  s += read_behind(MANY);
  globals_as_bounds();
  bounds_that_change();
  s += reduced() + between();
  short_iterations();
  whole_numbers(MANY, 3);
  for (i = 0; i < FEW; i++)
    for (j = 0; j < MANY; j++)
      s += a[i][j] * (i + 1) + sums[j] + whole[i][j];
  printf("%.9g\n", s);
  return 0;
}
