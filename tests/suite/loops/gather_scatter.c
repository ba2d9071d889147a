// levels: O0 O1 O3
// Indirect accesses: only dependences that happen count.
#include "show.h"
enum { N = 64 };
static unsigned a[N], b[N];
static int perm[N], few[N], one[N];

static void gather(void) {
  // expect: DOALL sp=64 cp=9
  // clauses:
  // index 4, load 4, store 1
  for (int i = 0; i < N; i++)
    b[i] = a[perm[i]];
}

static void scatter(void) {
  // expect: DOALL sp=64 cp=5
  // clauses:
  // index and value side by side 4, store 1; all targets differ
  for (int i = 0; i < N; i++)
    b[perm[i]] = a[i];
}

static void overwrite(void) {
  // expect: DOALL sp=64 cp=5
  // clauses: words -- targets are written again: the last iteration has to win
  // targets repeat, but an output dependence delays nothing
  for (int i = 0; i < N; i++)
    b[few[i]] = a[i];
}

static void update_few(void) {
  // expect: DOACROSS sp=64*13/(4+4*9)
  // carried: b[] +1->+1 distance 16
  // 16 targets, 4 updates each: index 4, then a chain of load 4, multiply 3, add 1, store 1 = 9 per update
  for (int i = 0; i < N; i++)
    b[few[i]] = b[few[i]] * 3 + a[i];
}

static void update_one(void) {
  // expect: SERIAL sp=64*13/(4+64*9)
  // carried: b[] +1->+1 distance 1
  // the same with one target
  for (int i = 0; i < N; i++)
    b[one[i]] = b[one[i]] * 3 + a[i];
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i;
    perm[i] = (i * 5 + 3) % N;
    few[i] = i % 16;
    one[i] = 7;
  }
  gather();
  scatter();
  overwrite();
  update_few();
  update_one();
  SHOW(a), SHOW(b);
  return 0;
}
