// levels: O0 O1 O3
// Calls in loop bodies. Callees are regions of their own and are looked into.
#include "show.h"
enum { N = 64 };
static int a[N], b[N];

static int pure(int x) { return x * x + 1; }

static void pure_calls(void) {
  // expect: DOALL sp=64 cp=9
  // clauses:
  // load 4, in the callee multiply 3 and add 1, store 1
  for (int i = 0; i < N; i++)
    b[i] = pure(a[i]);
}

static unsigned next(void) {
  static unsigned state = 1;
  return state = state * 5 + 1;
}

static void static_state(void) {
  // expect: SERIAL sp=64*10/(63*9+10)
  // carried: state -7->-7 distance 1
  // state: load 4, multiply 3, add 1, store 1 = 9 from call to call; the result after 8, xor 1, store 1
  for (int i = 0; i < N; i++)
    b[i] = (int)next() ^ a[i];
}

static int twice(int x) { return x + x; }
static int square(int x) { return x * x; }

static void through_pointer(int (*f)(int)) {
  // expect: DOALL sp=64 cp=8
  // clauses:
  // load 4, multiply 3, store 1
  for (int i = 0; i < N; i++)
    b[i] = f(a[i]);
}

static void through_table(int (*const *f)(int)) {
  // expect: DOALL sp=(32*6+32*8)/8
  // clauses:
  // the table's entry takes no time from a[i]: load 4 beside load 4; twice 1 or square 3, store 1
  for (int i = 0; i < N; i++)
    b[i] = f[i](a[i]);
}

static void store(int *where, int what) { *where = what; }

static void results_by_pointer(void) {
  // expect: DOALL sp=64 cp=5
  // clauses:
  // load 4, store 1 in the callee
  for (int i = 0; i < N; i++)
    store(&b[i], a[i]);
}

static void append(int *list, int *count, int what) {
  list[*count] = what;
  *count += 1;
}

static void append_all(void) {
  static int list[N], count;
  // expect: SERIAL sp=1
  // carried: *count -9->-10 distance 1
  // carried: *count -9->-9 distance 1
  // the count: load 4, add 1, store 1 from call to call
  for (int i = 0; i < N; i++)
    append(list, &count, i);
}

int main(void) {
  static int (*table[N])(int);
  for (int i = 0; i < N; i++) {
    a[i] = i;
    table[i] = i % 2 ? twice : square;
  }
  pure_calls();
  static_state();
  through_pointer(square);
  through_table(table);
  results_by_pointer();
  append_all();
  SHOW(a), SHOW(b);
  return 0;
}
