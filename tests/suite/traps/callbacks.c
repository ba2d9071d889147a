// levels: O0 O1 O3
// Instrumented functions called back by library code: qsort, bsearch, atexit.
#include <stdlib.h>
enum { N = 64 };
static int v[N], w[N];

// expect-function: ANY instances>=64
// each comparison: two loads 4 side by side, two compares 1, subtract 1 (the caller is not instrumented: arguments at 0)
static int compare(const void *x, const void *y) {
  int p = *(const int *)x, q = *(const int *)y;
  return (p > q) - (p < q);
}

static void at_end(void) {
  // expect: DOALL sp=64 cp=8 instances=1
  // runs after main has returned
  for (int i = 0; i < N; i++)
    w[i] = v[i] * 3;
}

// expect-function: ANY instances=1 work>=100
// the comparisons are work done while this function was open
static int sort_and_find(int what) {
  qsort(v, N, sizeof v[0], compare);
  int *p = bsearch(&what, v, N, sizeof v[0], compare);
  return p ? (int)(p - v) : -1;
}

int main(void) {
  atexit(at_end);
  for (int i = 0; i < N; i++)
    v[i] = (i * 37) % N;
  return sort_and_find(17) != 17;
}
