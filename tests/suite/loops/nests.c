// levels: O0 O1 O3
// Nested loops: self-parallelism tells the levels apart.
#include "show.h"
enum { N = 32, M = 24 };
static int a[N][M], b[N][M], c[N][M], t[N][N];
static double x[12][16], y[16][8], z[12][8], w[12][8];

static void rectangle(void) {
  // expect: DOALL sp=32 iters=32
  // clauses:
  // every iteration is one inner loop of critical path 6
  for (int i = 0; i < N; i++)
    // expect: DOALL sp=24 iters=32*24 instances=32 work=32*24*10
    // clauses: firstprivate(i)
    // two loads side by side 4, add 1, store 1
    for (int j = 0; j < M; j++)
      a[i][j] = b[i][j] + c[i][j];
}

static void triangle(void) {
  // expect: DOALL sp=(31*7+1)/7 iters=32
  // clauses:
  // iteration 0: only the guard 0 < i, 1; the others: guard 1, then the inner loop's load 4, add 1, store 1
  for (int i = 0; i < N; i++)
    // expect: DOALL sp=496/31 iters=496 instances=31
    // clauses: firstprivate(i)
    // instance i has i equal iterations, SP i; weighted by work: sum of i over the number of instances
    for (int j = 0; j < i; j++)
      t[i][j] = a[j][0] + 1;
}

static void product(void) {
  // expect: DOALL sp=12
  // clauses:
  for (int i = 0; i < 12; i++)
    // expect: DOALL sp=8 instances=12
    // clauses:
    for (int j = 0; j < 8; j++) {
      double s = 0;
      // expect: DOALL_REDUCTION(+:s) sp=16 instances=96
      // clauses: reduction(+:s)
      // two loads side by side, one fused multiply-add into the sum; contributions do not wait for each other
      for (int k = 0; k < 16; k++)
        s += x[i][k] * y[k][j];
      z[i][j] = s;
    }
}

static void product_in_memory(void) {
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 8; j++)
      // expect: DOALL_REDUCTION sp=16 instances=96
      // clauses: words -- one element of an array is the sum: into a local variable first
      // the same with w[i][j], one fixed address, as the sum
      for (int k = 0; k < 16; k++)
        w[i][j] += x[i][k] * y[k][j];
}

static void transpose(void) {
  // expect: DOALL sp=8
  // clauses:
  for (int j = 0; j < 8; j++)
    // expect: DOALL sp=16
    // clauses:
    // load 4, store 1
    for (int i = 0; i < 16; i++)
      x[j][i] = y[i][j];
}

int main(void) {
  rectangle();
  triangle();
  product();
  product_in_memory();
  transpose();
  SHOW(a), SHOW(b), SHOW(c), SHOW(t), SHOW(w);
  return 0;
}
