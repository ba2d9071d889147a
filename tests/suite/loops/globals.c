// levels: O0 O1 O3
// Loops whose index lies outside of all functions, as in old programs.
#include "show.h"
enum { N = 64, M = 8 };
static int a[N], b[N], c[N][M];
int i, n = N, seen;
long sum;
static int j, k;
static char text[N], *p;

static void counted(void) {
  // expect: DOALL sp=64
  // clauses: words -- every thread needs an index of its own: a local one
  for (i = 0; i < N; i++)
    b[i] = a[i] + 1;
}

static void bound_outside(void) {
  // expect: DOALL sp=63
  // clauses: words -- every thread needs an index of its own: a local one
  for (k = 1; k <= n - 1; k++)
    b[k] = a[k] + a[k - 1];
}

static void nest(void) {
  // expect: DOALL sp=64
  // clauses: words -- every thread needs an index of its own: a local one
  for (i = 0; i < N; i++)
    // expect: DOALL sp=8
    // clauses: words -- every thread needs an index of its own: a local one
    for (j = 0; j < M; j++)
      c[i][j] = a[i] * j;
}

__attribute__((noinline)) static int twice(int x) { return 2 * x; }

static void calls(void) {
  // expect: DOALL sp=64
  // clauses: words -- every thread needs an index of its own: a local one
  // what is called does not touch the index
  for (i = 0; i < N; i++)
    b[i] = twice(a[i]);
}

__attribute__((noinline)) static int at(void) { return a[i]; }

static void read_by_callee(void) {
  // expect: DOACROSS
  // carried: i +0->-6 distance 1
  // the callee reads what the iteration before has left in the index
  for (i = 0; i < N; i++)
    b[i] = at();
}

__attribute__((noinline)) static void skip(void) { i += a[i] % 2; }

static void stepped_by_callee(void) {
  // expect: SERIAL
  // carried: i +0->-6 distance 1
  // carried: i +0->+0 distance 1
  for (i = 0; i < N; i++)
    skip();
}

static int found(int x) {
  // expect: SERIAL
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // behind it the index has the place
  for (i = 0; i < N; i++)
    if (a[i] == x)
      break;
  return i;
}

static void several_steps(void) {
  // expect: SERIAL
  // carried: i +0->+0 distance 1
  // carried: i +0->+1 distance 1
  // carried: i +0->+2 distance 1
  // carried: i +0->+3 distance 1
  for (i = 0; i < N; i++) {
    b[i]++;
    if (a[i] % 3 == 0)
      i++;
  }
}

static void overwritten(int *where) {
  // expect: SERIAL
  // carried: i +0->+0 distance 1
  // carried: i +0->+1 distance 1
  // what is written may be the index, and is
  for (i = 0; i < N; i++) {
    *where = i + 1;
    b[i]--;
  }
}

static void pointer(void) {
  // expect: DOALL sp=64
  // clauses: words -- every thread needs an index of its own: a local one
  // nothing else leads to the pointer itself
  for (p = text; p < text + N; p++)
    *p = 'x';
}

static void counters(void) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(+:seen)
  for (int x = 0; x < N; x++)
    seen++;
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(+:sum,seen)
  for (int x = 0; x < N; x++) {
    sum += a[x];
    seen += 2;
  }
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(+:seen)
  for (int x = 0; x < N; x++) {
    b[x]++;
    seen -= 3;
  }
}

int main(void) {
  for (int x = 0; x < N; x++)
    a[x] = x * 5 % 7;
  counted();
  SHOW(i), SHOW(b);
  bound_outside();
  SHOW(k), SHOW(b);
  nest();
  SHOW(i), SHOW(j), SHOW(c);
  calls();
  SHOW(b);
  read_by_callee();
  SHOW(b);
  stepped_by_callee();
  int place = found(3);
  SHOW(place), SHOW(i);
  several_steps();
  overwritten(&i);
  pointer();
  SHOW(i), SHOW(b), SHOW(text);
  counters();
  SHOW(seen), SHOW(sum);
  return 0;
}
