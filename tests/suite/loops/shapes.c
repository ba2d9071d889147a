// levels: O0 O1 O3
// Counted loops in every shape in which people write them; all have independent iterations of equal length.
#include "show.h"
enum { N = 96 };
static int a[N + 1], b[N + 1];

static void stride(int n) {
  // expect: DOALL sp=32 work=32*8
  // clauses:
  // 96 / 3 iterations: load 4, multiply 3, store 1
  for (int i = 0; i < n; i += 3)
    a[i] = b[i] * 2;
}

static void backwards(int n) {
  // expect: DOALL sp=96 work=96*6
  // clauses:
  for (int i = n - 1; i >= 0; i--)
    a[i] = b[i] + 1;
}

static void unsigned_index(unsigned n) {
  // expect: DOALL sp=96 work=96*6
  // clauses:
  for (unsigned i = 0; i < n; i++)
    a[i] = b[i] - 5;
}

static void pointers(const int *p, const int *end, int *q) {
  // expect: DOALL sp=96 work=96*6
  // clauses: words -- a while loop
  // both pointers step by a constant: induction variables; the end is known before the loop starts
  while (p < end)
    *q++ = *p++ + 1;
}

static void count_down(const int *p, int *q, int n) {
  // expect: DOALL sp=96 work=96*5
  // clauses: words -- the loop has no first part
  // load 4, store 1
  for (; n; n--)
    *q++ = *p++;
}

static void while_loop(int n) {
  int i = 0;
  // expect: DOALL sp=96 work=96*4
  // clauses: words -- a while loop
  // i * i is a multiplication of an induction variable, available at once: 3, store 1
  while (i < n) {
    a[i] = i * i;
    i++;
  }
}

static void do_while(int n) {
  int i = 0;
  // expect: DOALL sp=96 work=96*6
  // clauses: words -- a do loop
  do {
    a[i] = b[i] ^ 1;
  } while (++i < n);
}

static void not_equal(long from, long to) {
  // expect: DOALL sp=48 work=48*6
  // clauses: words -- steps of two up to a bound that the index must meet
  for (long i = from; i != to; i += 2)
    a[i] = b[i] | 1;
}

static void two_indices(int n) {
  // expect: DOALL sp=96 work=96*6
  // clauses: words -- two indices
  // i and j are both induction variables
  for (int i = 0, j = n - 1; i < n; i++, j--)
    a[i] = b[j] + 1;
}

int main(void) {
  stride(N);
  backwards(N);
  unsigned_index(N);
  pointers(b, b + N, a);
  count_down(b, a, N);
  while_loop(N);
  do_while(N);
  not_equal(0, N);
  two_indices(N);
  SHOW(a), SHOW(b);
  return 0;
}
