// levels: O0 O1 O3
// Independent iterations over arrays of every elementary type. Every iteration costs the same, so SP is the trip count.
#include "show.h"
enum { N = 64 };
static unsigned char c0[N], c1[N];
static short s0[N], s1[N];
static int i0[N], i1[N], i2[N];
static float f0[N], f1[N];
static double d0[N], d1[N];
static struct point { double x, y; int id; } p[N];

static void bytes(unsigned char *d, const unsigned char *s, int n) {
  // expect: DOALL sp=64 iters=64 instances=1 work=64*6 cp=6 self_work=0
  // clauses: firstprivate(d,s)
  // load 4, xor 1, store 1; conversions between char and int cost nothing
  for (int i = 0; i < n; i++)
    d[i] = s[i] ^ 0x20;
}

static void shorts(short *d, const short *s, int n) {
  // expect: DOALL sp=64 work=64*8 cp=8
  // clauses:
  // load 4, multiply 3, store 1
  for (int i = 0; i < n; i++)
    d[i] = (short)(s[i] * 3);
}

static void ints(int *a, const int *b, const int *c, int n) {
  // expect: DOALL sp=64 work=64*10 cp=6
  // clauses:
  // two loads side by side 4, add 1, store 1; adjacent 4-byte elements do not meet
  for (int i = 0; i < n; i++)
    a[i] = b[i] + c[i];
}

static void floats(float *d, const float *s, int n) {
  // expect: DOALL sp=64 work=64*8 cp=8
  // clauses:
  // load 4, multiply 3, store 1
  for (int i = 0; i < n; i++)
    d[i] = s[i] * 0.5f;
}

static void doubles(double *d, const double *s, int n) {
  // expect: DOALL sp=64 work=64*18 cp=18
  // clauses:
  // load 4, divide 13, store 1
  for (int i = 0; i < n; i++)
    d[i] = s[i] / 3.0;
}

static void structs(struct point *q, int n) {
  // expect: DOALL sp=64 work=64*17 cp=16
  // clauses:
  // x: load 4, add 3, store 1 = 8; y: load x 12, multiply 15, store 16; id: store 1 beside it
  for (int i = 0; i < n; i++) {
    q[i].x = q[i].x + 1.0;
    q[i].y = q[i].x * 2.0;
    q[i].id = i;
  }
}

int main(void) {
  bytes(c0, c1, N);
  shorts(s0, s1, N);
  ints(i0, i1, i2, N);
  floats(f0, f1, N);
  doubles(d0, d1, N);
  structs(p, N);
  SHOW(c0), SHOW(c1), SHOW(s0), SHOW(s1), SHOW(i0), SHOW(i1), SHOW(i2), SHOW(f0), SHOW(f1), SHOW(d0), SHOW(d1), SHOW(p);
  return 0;
}
