// Loops whose iterations grow or shrink along the loop, and some that only look like that.
#include <stdio.h>

#define N 200

static double a[N][N], x[N], y[N], z[N];
static int row[N + 1], length[N];

static void lower(void) {
  // clauses: schedule(static,8)
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j <= i; j++)
      sum += a[i][j] * x[j];
    y[i] = sum;
  }
}

static void upper(void) {
  int i, j;
  // clauses: private(j) schedule(static,8)
  for (i = 0; i < N; i++) {
    z[i] = 0;
    for (j = i + 1; j < N; j++)
      z[i] += a[i][j] * x[j];
  }
}

static double pairs(void) {
  double sum = 0;
  // clauses: reduction(+:sum) schedule(static,8)
  for (int i = 0; i < N - 1; i++)
    for (int k = 0; k < 2; k++)
      for (int j = i + 1; j < N; j++)
        sum += (x[i] - x[j]) * (k + 1);
  return sum;
}

static void few(void) {
  // clauses: schedule(static,1)
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 10 * i; j++)
      a[i][j] += i;
}

// Rows of any length in any order.
static void rows(void) {
  // clauses: none
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = row[i]; j < row[i + 1]; j++)
      sum += x[j % N];
    y[i] += sum;
  }
}

// The source does not show it, but the last quarter has most of the work.
static void lengths(void) {
  // clauses: schedule(static,8)
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < length[i]; j++)
      sum += x[j % N];
    y[i] += sum;
  }
}

// Bands are equally wide.
static void bands(void) {
  // clauses: none
  for (int i = 0; i < N - 10; i++)
    for (int j = i; j < i + 10; j++)
      a[i][j] += x[j];
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = i % 7;
    row[i + 1] = row[i] + i % 5;
    length[i] = i < 150 ? 2 : 60;
    for (int j = 0; j < N; j++)
      a[i][j] = (i * j) % 11;
  }
  lower();
  upper();
  double sum = pairs();
  few();
  rows();
  lengths();
  bands();
  for (int i = 0; i < N; i++)
    sum += y[i] + 3 * z[i] + a[i % 20][i];
  printf("%.0f\n", sum);
  return 0;
}
