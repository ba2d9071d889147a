// levels: O0 O1 O3
// Recurrences: the distance of the dependence bounds the parallelism.
#include "show.h"
enum { N = 64 };
static int a[N + 32], b[N + 32], g[17][17];
static double x[N + 2], u[2][N + 2];

static void distance_1(void) {
  // expect: SERIAL sp=64*7/(64*6+1) cp=64*6+1
  // carried: a[] +1->+1 distance 1
  // load a[i-1] 4, add 1, store 1 on the chain; i - 1 (1) before the first load only
  for (int i = 1; i <= N; i++)
    a[i] = a[i - 1] + b[i];
}

static void distance_2(void) {
  // expect: SERIAL sp=64*7/(32*6+1) cp=32*6+1
  // carried: a[] +1->+1 distance 2
  // two interleaved chains of 32; i - 2 takes 1 in every iteration, but delays only the first
  for (int i = 2; i < N + 2; i++)
    a[i] = a[i - 2] + b[i];
}

static void distance_k(int k) {
  // expect: DOACROSS sp=64*7/(4*6+1) cp=4*6+1
  // carried: a[] +1->+1 distance 16
  // k = 16: sixteen chains of four, i - k before the first
  for (int i = k; i < N + k; i++)
    a[i] = a[i - k] + b[i];
}

static void anti(void) {
  // expect: DOALL sp=64 cp=7
  // clauses: words -- the next element must be read before the next iteration overwrites it: from a copy
  // reads the old value of the next element: an anti dependence, ignored. i + 1, load 4, add 1, store 1
  for (int i = 0; i < N; i++)
    a[i] = a[i + 1] + 1;
}

static void wavefront(void) {
  // expect: DOACROSS sp=16*97/(31*6+1) cp=31*6+1
  // carried: g[] +4->+4 distance 1
  // element (i, j) waits for (i-1, j) and (i, j-1); the last of 16 x 16 comes at step 31, each step load 4, add 1, store 1;
  // i - 1 takes 1 before the first
  for (int i = 1; i <= 16; i++)
    // expect: SERIAL sp=16*7/97 instances=16 cp=16*97
    // carried: g[] +1->+1 distance 1
    for (int j = 1; j <= 16; j++)
      g[i][j] = g[i - 1][j] + g[i][j - 1];
}

static void prefix_in_memory(void) {
  // expect: SERIAL sp=63*9/(63*8+1) cp=63*8+1
  // carried: x[] +1->+1 distance 1
  // load 4, add 3, store 1; i - 1 takes 1
  for (int i = 1; i < N; i++)
    x[i] = x[i] + x[i - 1];
}

static void generator(unsigned s, unsigned *r) {
  // expect: SERIAL sp=64*5/(64*4+1)
  // carried: s +1->+1 distance 1
  // multiply 3, add 1 per iteration; one store 1 at the end
  for (int i = 0; i < N; i++) {
    s = s * 1664525u + 1013904223u;
    r[i] = s;
  }
}

static void pipeline(double s, double *r) {
  // expect: DOACROSS sp=64*108/(64*3+105)
  // carried: s +1->+1 distance 1
  // s: add 3 per iteration; eight divisions 104 and a store 1 hang off the chain
  for (int i = 0; i < N; i++) {
    s = s + 0.5;
    r[i] = s / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0;
  }
}

static void time_steps(double *from, double *to) {
  // expect: SERIAL sp=16*9/(16*8+1) cp=16*8+1
  // carried: from +0->+5 distance 1
  // carried: to +0->+5 distance 1
  // carried: from[] +5->+5 distance 1
  // every step needs the whole of the step before: load 4, add 3, store 1 per step; i - 1 takes 1 before the first
  for (int t = 0; t < 16; t++) {
    // expect: DOALL sp=64 instances=16
    // clauses:
    // Jacobi: reads one row, writes the other
    for (int i = 1; i <= N; i++)
      to[i] = from[i - 1] + from[i + 1];
    double *swap = from;
    from = to;
    to = swap;
  }
}

static void seidel(void) {
  // expect: SERIAL sp=64*9/(64*8+1) cp=64*8+1
  // carried: x[] +1->+1 distance 1
  // in place: x[i-1] is the new value; load 4, add 3, store 1; i - 1 takes 1
  for (int i = 1; i <= N; i++)
    x[i] = x[i - 1] + x[i + 1];
}

static void carried_scalar(void) {
  int last = 0;
  // expect: DOACROSS
  // carried: last +2->+1 distance 1
  // each iteration uses the value loaded by the one before
  // it delays nothing, since no chain goes through it: that is why lengths of critical paths do not show it
  for (int i = 0; i < N; i++) {
    b[i] = last + a[i];
    last = a[i];
  }
}

int main(void) {
  static unsigned r[N];
  static double q[N];
  for (int i = 0; i < N + 2; i++)
    x[i] = u[0][i] = b[i] = i % 9;
  distance_1();
  distance_2();
  distance_k(16);
  anti();
  wavefront();
  prefix_in_memory();
  generator(1, r);
  pipeline(1, q);
  time_steps(u[0], u[1]);
  seidel();
  carried_scalar();
  SHOW(a), SHOW(b), SHOW(g), SHOW(x), SHOW(u), SHOW(r), SHOW(q);
  return 0;
}
