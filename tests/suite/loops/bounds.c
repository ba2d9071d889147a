// levels: O0 O1 O3
// Bounds and steps that lie in memory, where stores of the body may alias them for all the compiler knows: they delay no iteration unless the loop
// really writes them. Tests that are not affine do.
#include "show.h"
#include <string.h>
enum { N = 64 };
int n[2] = {N, N}, block = 4, m, list[20 * N], limit, step, low[1] = {2};
unsigned long count = N;
static int a[N + 1], src[N * N], grid[N * N];
static char word[] = "the quick brown fox jumps over the lazy dog again and again";
struct range { int *first, *last; } r;
struct table { int n, *p; struct { int rows, cols; } dims; } t;
static int work(int x) { return x * 7 % 13; }

static void global_bound(int *p, int *q) {
  int j;
  // expect: DOALL
  // clauses:
  for (j = 1; j < n[1] - 1; j++)
    p[j] = q[j] * 2;
}

static void pointer_bound(struct range *end) {
  // expect: DOALL
  // clauses:
  for (int *p = end->first; p < end->last; p++)
    *p = *p * 2 + 1;
}

static void member_bound(struct table *s) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < s->n; i++)
    s->p[i] = work(i);
}

static void global_step(int *p) {
  int i;
  // expect: DOALL
  // clauses:
  for (i = 0; i < n[0]; i += block)
    p[i] = i * 3;
}

static void blocked(int *p) {
  int i, k;
  // expect: DOALL
  // blind-spot: DOALL_REDUCTION -- that blocks of elements do not overlap is not proven: `p[i] += i` stays a reduction of this loop
  // clauses: private(i)
  for (k = 0; k < n[0]; k += block)
    // expect: DOALL
    // clauses:
    for (i = k; i < k + block; i++)
      p[i] += i;
}

static void downwards(int *p) {
  // expect: DOALL
  // clauses:
  for (int i = N - 1; i > low[0]; i--)
    p[i] = p[i] * 3 + i;
}

static void unsigned_bound(int *p) {
  int i;
  // expect: DOALL
  // clauses:
  for (i = 0; i < (int)count; i++)
    p[i] ^= i * 5;
}

static void nested(struct table *s) {
  int i, j;
  // expect: DOALL
  // clauses: private(j)
  for (i = 0; i < s->dims.rows; i++)
    // expect: DOALL
    // clauses: firstprivate(i)
    for (j = 0; j < s->dims.cols; j++)
      s->p[i * s->dims.cols + j] = i ^ j;
}

static void counted_do(int *p) {
  int i = 0;
  // expect: DOALL
  // clauses: words -- a do loop
  // (OpenMP does not take it as it is written, but its iterations are independent)
  do {
    p[i] = p[i] * 3 + 1;
    i++;
  } while (i < n[0]);
}

static void growing(void) {
  m = 20;
  // expect: CARRIED
  // carried: m +4->+0 distance 1..3
  // carried: m +4->+2 distance any
  // carried: m +4->+3 distance 3
  // carried: m +4->+4 distance 3
  // a list of work that really grows
  for (int i = 0; i < m; i++) {
    grid[i] = src[i] * 2 + 1;
    if (i % 3 == 0 && m < 60) {
      list[m] = i;
      m = m + 1;
    }
  }
}

static void rewritten(void) {
  m = 60;
  // expect: CARRIED
  // carried: m +2->+0 distance 1
  for (int i = 0; i < m; i++) {
    grid[i] = src[i] / 3;
    m = 60 + work(list[i]) * 0;
  }
}

static void lowered(void) {
  m = 60;
  // expect: CARRIED
  // carried: m +3->+0 distance 1..14
  for (int i = 0; i < m; i++) {
    grid[i] += src[i] * 3;
    if (i == 30)
      m = 45;
  }
}

static void step_changes(void) {
  step = 1;
  // expect: CARRIED
  // carried: step +2->+0 distance 1
  for (int i = 0; i < N; i += step) {
    grid[i] ^= 5;
    step = src[i] % 3 + 1;
  }
}

static void square_root(int *p) {
  limit = N * N;
  // expect: CARRIED
  // carried: none -- the test is a product of the index, and the bound stays
  // not affine: whether the next iteration happens is computed from a product
  for (int i = 1; i * i <= limit; i++)
    p[i] = i;
}

static void sentinel(int *p) {
  // expect: CARRIED
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // whether the next iteration happens hangs on data of this one
  for (int i = 0; a[i] != 0; i++)
    p[i] = a[i] * 2;
}

static void measured_again(void) {
  // expect: CARRIED
  // carried: word +1->+0 distance 1..58
  // strlen reads what earlier iterations wrote
  for (size_t i = 0; i < strlen(word); i++)
    word[i] ^= 1;
}

static void early_end(int key) {
  // expect: CARRIED
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // never leaves early on this input, but each iteration has to say that it does not
  for (int i = 0; i < n[0]; i++) {
    list[i] = i;
    if (src[i] > key)
      return;
  }
}

static void two_bounds(int *p) {
  limit = 50;
  // expect: DOALL
  // blind-spot: SERIAL -- two tests joined by && are a decision of their own, not a counted exit: iterations wait for it
  // clauses: words -- two tests
  for (int i = 0; i < n[0] && i < limit; i++)
    p[i] += src[i];
}

static void turned(int *p, int end) {
  // expect: DOALL
  // clauses: words -- two variables are stepped
  for (int i = 0, j = end - 1; i < j; i++, j--) {
    int t = p[i];
    p[i] = p[j];
    p[j] = t;
  }
}

static void likely_bound(int *p, const int *q) {
  int i;
  // expect: DOALL sp=64
  // clauses: words -- the test must compare the index
  for (i = 0; __builtin_expect(!!(i < t.n), 1); i++)
    p[i] = q[i] + 3;
}

static void bound_and_more(int *p, const int *q) {
  int i;
  // expect: DOALL sp=64
  // clauses: words -- the test must compare the index
  for (i = 0; i < t.n && 1; i++)
    p[i] = q[i] * 4;
}

int main(void) {
  for (int i = 0; i < N * N; i++)
    src[i] = i * 7 % 31;
  for (int i = 0; i < N; i++)
    a[i] = i + 1;
  r.first = list;
  r.last = list + N;
  t.n = N;
  t.p = list;
  t.dims.rows = 12;
  t.dims.cols = 20;
  likely_bound(list, src);
  bound_and_more(list + N, src);
  global_bound(list, src);
  pointer_bound(&r);
  SHOW(list);
  member_bound(&t);
  global_step(list);
  blocked(list);
  downwards(list);
  SHOW(list);
  unsigned_bound(list);
  nested(&t);
  counted_do(list);
  growing();
  rewritten();
  lowered();
  step_changes();
  square_root(list + 70);
  sentinel(list + 140);
  measured_again();
  early_end(1000);
  two_bounds(list);
  turned(list, N);
  SHOW(list), SHOW(grid), SHOW(word), SHOW(m);
  return 0;
}
