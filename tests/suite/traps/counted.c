// levels: O0 O1 O3
// Counted loops: neither the step nor the test of an induction variable takes time or counts as work, or self-parallelism
// would exceed the trip count. Exits that depend on data do both.
enum { N = 64 };
static char flag[N + 1];
static int a[N];

static void counted(void) {
  // expect: DOALL sp=64 work=64*1 cp=1
  for (int i = 0; i < N; i++)
    a[i] = 0;
}

static void counted_variable(int n, int step) {
  // expect: DOALL sp=64 work=64*1 cp=1
  for (int i = 0; i < n; i += step)
    a[i] = 0;
}

static void both(int n) {
  // expect: SERIAL sp=64*6/(63*5+6)
  // counted and flagged: the flag decides (load 4, compare 1), the store 1 waits for it
  for (int i = 0; i < n && flag[i] == 0; i++)
    a[i] = 0;
}

static void by_data(void) {
  int i = 0;
  // expect: SERIAL sp=1
  do
    i++;
  while (flag[i] == 0);
  a[0] = i;
}

static void bound_expression(int n) {
  // expect: DOALL sp=62
  // the bound is computed anew in every test, but from values that do not change
  for (int i = 0; i < n - 2; i++)
    a[i] = 1;
}

static void nested_counts(int n) {
  // expect: DOALL sp=8
  for (int i = 0; i < n; i++)
    // expect: DOALL sp=8 instances=8
    for (int j = i * n; j < (i + 1) * n; j++)
      a[j] = 2;
}

static void narrow_counter(short n) {
  // expect: DOALL sp=64
  // the counter is a short: its step is widened, added, narrowed
  for (short i = 0; i < n; i++)
    a[i] = 3;
}

int main(void) {
  flag[N] = 1;
  counted();
  counted_variable(N, 1);
  by_data();
  both(N);
  bound_expression(N);
  nested_counts(8);
  narrow_counter(N);
  return a[0] != 3;
}
