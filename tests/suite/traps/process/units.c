// Calls into another translation unit, which is instrumented or not; callbacks from there.
enum { N = 64 };
static int a[N], b[N], sink;
int helper(int x);
int apply(int (*f)(int), int x);

static int slow(int x) { return x / 3 / 3 / 3 / 3 / 3 / 3 / 3 / 3 / 3 / 3; }

static int ready(int x) { return x / 3 / 3 / 3; }

static void calls(void) {
  for (int i = 0; i < N; i++) // calls
    b[i] = helper(a[i]);
}

// Arguments of the call of `apply` arrive after 36; the callback's own argument comes from code that was not instrumented.
static int stale_argument(int x) { return apply(slow, x / 3 / 3 / 3); }

// The result of `ready` arrives after 36, that of `helper` does not wait for it.
static int stale_result(int x) {
  sink = ready(x);
  return helper(3) * 3;
}

int main(int argc, char **argv) {
  (void)argv;
  calls();
  return stale_argument(argc) + stale_result(argc) < 0;
}
