/* Nests whose two loops must not be collapsed, or only just may: each prints something else if the directive takes them for one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FEW 4
#define MANY 200
#define LONG(x) (sqrt((x) + 2) / (1 + (x)) + 1 / (2 + sqrt(x)))
#define NEXT_ROW() rows++
#define FROM_ROW(j) for (j = 0; j < MANY - row; j++)
#define OF_ROW (MANY - row * 20)
#define STORE(x) a[row][j] = (x); done[row] = 1

static double a[FEW][MANY], b[FEW][MANY];
static int width = MANY, done[FEW], widths[FEW + 1], *where = widths;

static int narrower(void) { return width; }
static int given(int by) { return width - by; }

/* The inner bound is in what the nest writes. */
static void writes_its_bound(int *n) {
  int row, j;
  for (row = 0; row < FEW; row++)
    for (j = 0; j < *n; j++) {
      a[row][j] = LONG(b[row][j]) + LONG(b[row][j] + 1);
      if (j == 0)
        widths[row + 1] = MANY - 50 * row;
    }
}

static void through_a_pointer(void) {
  int row, j;
  for (row = 0; row < FEW; row++)
    for (j = 0; j < widths[FEW]; j++) {
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 2);
      if (j == 0)
        where[row] = row;
    }
}

static void by_calls(void) {
  int row, j;
  for (row = 0; row < FEW; row++)
    for (j = 0; j < narrower(); j++)
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 3);
  for (row = 0; row < FEW; row++)
    for (j = 0; j < given(row * 20); j++)
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 4);
}

/* The outer index is in the inner header, in a macro. */
static void in_macros(void) {
  int row, j, rows = 0;
  for (row = 0; row < FEW; row++)
    for (j = 0; j < OF_ROW; j++)
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 5);
  for (row = 0; row < FEW; row++)
    FROM_ROW(j)
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 6);
  for (row = 0; row < FEW; row++) {
    NEXT_ROW();
    for (j = 0; j < MANY; j++)
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 7);
  }
  for (row = 0; row < FEW; row++) {
    for (j = 0; j < MANY; j++)
      STORE(LONG(b[row][j]) + LONG(b[row][j] + 8));
  }
  printf("%d %d\n", rows, done[FEW - 1]);
}

/* The inner loop is left, goes on, or waits. */
static void left(void) {
  int row, j;
  for (row = 0; row < FEW; row++)
    for (j = 0; j < MANY; j++) {
      if (j > 20 + row)
        break;
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 9);
    }
  for (row = 0; row < FEW; row++)
    for (j = 0; j < MANY; j++) {
      if (j % 7 == row)
        continue;
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 10);
    }
  for (row = 0; row < FEW; row++)
    for (j = 1; j < MANY; j++)
      a[row][j] += LONG(b[row][j]) + LONG(a[row][j - 1] + 10);
}

/* Private to an iteration of the outer loop, but not of the inner one. */
static double kept(void) {
  int row, j;
  double scratch[MANY], s = 0, t;
  for (row = 0; row < FEW; row++)
    for (j = 0; j < MANY; j++) {
      scratch[j] = LONG(b[row][j]);
      t = scratch[j] + LONG(scratch[j]);
      a[row][j] = t + LONG(b[row][j] + 1);
    }
  for (row = 0; row < FEW; row++)
    for (j = 0; j < MANY; j++) {
      if (j % 3 == 0)
        scratch[0] = LONG(b[row][j]);
      s += (int)(16 * (scratch[0] + LONG(b[row][j] + 1)));
    }
  return s;
}

/* Indexes that are read behind, are one, or are looked at. */
static int indexes(void) {
  int row, j, k, *p = &k;
  for (row = 0; row < FEW; row++)
    for (j = 0; j < MANY - 3; j++)
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 1);
  int sum = j;
  for (row = 0; row < FEW; row++)
    for (k = 0; k < MANY; k++)
      a[row][k] += LONG(b[row][k]) + LONG(b[row][k] + 2);
  sum += *p;
  for (row = 0; row < FEW; row++)
    for (int row = 0; row < MANY; row++)
      a[0][row] = LONG(b[0][row]) + LONG(b[1][row] + 3);
  for (row = 0; row < FEW; row++)
    for (j = 0; j < MANY; j++)
      a[row][j] += LONG(b[row][j]) + LONG(b[row][j] + 4);
  sum += row;
  return sum;
}

/* Products of the numbers of iterations that `int` does not hold, and inner loops without any. */
static long counts(int n, int none) {
  int row;
  long sum = 0;
  for (row = 0; row < 3; row++)
    for (int j = -2000000000; j < 2000000000; j += 20000000)
      sum += (long)(1000 * LONG((double)(row + 1) * (j < 0 ? -j : j) + n));
  for (row = 0; row < 3; row++)
    for (unsigned char j = 1; j < 250; j++)
      sum += (long)(1000 * LONG((double)row + j) + 1000 * LONG((double)j));
  for (row = 0; row < 3; row++)
    for (int j = none; j < n; j++)
      sum += (long)(1000 * LONG((double)row + j + 1) + 1000 * LONG((double)(row + j + 1)));
  return sum;
}

int main(int argc, char **argv) {
  int row, j, n = MANY - 10 * argc;
  double s = 0;
  for (row = 0; row < FEW; row++) {
    widths[row] = MANY - 10 * row;
    for (j = 0; j < MANY; j++)
      b[row][j] = row * 0.25 + j % 17;
  }
  widths[FEW] = MANY - 40;
  writes_its_bound(argc > 5 ? &n : &widths[FEW - 1]);
  through_a_pointer();
  by_calls();
  in_macros();
  left();
  s += kept();
  printf("%d\n", indexes());
  printf("%ld %ld %s\n", counts(200, 0), counts(0, 200), argv[0] ? "" : "nameless");
  for (row = 0; row < FEW; row++)
    for (j = 0; j < MANY; j++)
      s += a[row][j] * (row + 1);
  printf("%.9g\n", s);
  return 0;
}
