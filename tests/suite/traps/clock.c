// levels: O0 O1 O3
// The two conditions of the clock that never goes back: a branch time from before a region's entry counts as its time 0,
// and the largest time so far is complete at every call, return and unwinding.
enum { N = 64 };
static int a[N], b[N], sink;

static void under_condition(int x) {
  // the branch is decided after three divisions 36 and a compare 1
  if (x / 3 / 3 / 3 >= 0) {
    // expect: DOALL sp=64 cp=5
    // on the loop's own clock the decision is at 0
    for (int i = 0; i < N; i++)
      a[i] = b[i];
  }
}

static void condition_between(void) {
  // expect: DOALL sp=8
  // every iteration: load 4, two divisions 24, compare 1, then the inner loop
  for (int i = 0; i < 8; i++)
    if (b[i] / 3 / 3 >= 0)
      // expect: DOALL sp=8 instances=8 cp=8*5
      for (int j = 0; j < 8; j++)
        a[i * 8 + j] = b[j];
}

static void change(int *x) {
  if (*x >= 0) // load 4, compare 1
    *x = 3;    // store 1
}

// expect-function: ANY work=37+6 cp=37+6 sp=1
// the callee's body is control dependent on the division, and its own clock starts at 0
static void guarded_call(int x) {
  if (x / 3 / 3 / 3 >= 0)
    change(&sink);
}

// expect-function: ANY work=6 cp=6
// (the callee of the next function; the result does not wait for the stored value)
static int forget(int x) {
  sink = x ^ 5 ^ 6 ^ 7 ^ 8 ^ 9;
  return x;
}

// expect-function: ANY work=6+1 cp=6
// the callee's longest path ends in memory, not in its result: add 1 ends at 1
static int caller(int x) { return forget(x) + 1; }

static void nothing(void) {}

// expect-function: ANY work=12+1 cp=12+1
// the longest path is complete before the call and must survive it
static void before_call(int x) {
  sink = x / 3;
  nothing();
}

// expect-function: ANY work=24+2 cp=12+1
// work before, in and after a call adds up
static void around_call(int x) {
  sink = x / 3;
  nothing();
  b[0] = x / 5;
}

int main(int argc, char **argv) {
  (void)argv;
  under_condition(argc);
  condition_between();
  guarded_call(argc);
  before_call(argc);
  around_call(argc);
  return caller(argc) < 0;
}
