// Recursion: independent recursive calls are tasks, a chain of calls is not.
#include "show.h"
enum { N = 64 };
static int a[N], b[N], sorted[N];

// expect-function: TASK sp=1.64035084 instances=127 fn=tree
// two independent halves in every instance: cp(1) = 18 (subtract, compare, load, divide), cp(n) = cp(n / 2) + 16 (add 1 and
// divide 12 for mid, test 2, final add 1), SP(n) = (2 cp(n / 2) + 16) / cp(n), work(n) = 2 work(n / 2) + 16; weighted by work
static int tree(int lo, int hi) {
  if (hi - lo == 1)
    return a[lo] / 3;
  int mid = (lo + hi) / 2;
  return tree(lo, mid) + tree(mid, hi);
}

// expect-function: SERIAL sp=1 fn=chain
// the result of the inner call is multiplied and divided on the way back: one chain
static int chain(int n) {
  if (n == 0)
    return 1;
  return chain(n - 1) * 3 / 2;
}

// expect-function: TASK sp>=1.2 fn=sort
// the halves are sorted independently of each other; merging is serial
static void sort(int *v, int *scratch, int n) {
  if (n < 2)
    return;
  int h = n / 2;
  sort(v, scratch, h);
  sort(v + h, scratch + h, n - h);
  int i = 0, j = h;
  // expect: SERIAL fn=sort
  // carried: i +2->+1 distance 1..3
  // carried: i +2->+2 distance 1..3
  // carried: j +4->+1 distance 1..3
  // carried: j +4->+4 distance 1..3
  // which element comes next is decided by the comparison before, through i and j
  for (int k = 0; k < n; k++) {
    if (j == n || (i < h && v[i] <= v[j]))
      scratch[k] = v[i++];
    else
      scratch[k] = v[j++];
  }
  // expect: DOALL fn=sort
  // clauses:
  for (int k = 0; k < n; k++)
    v[k] = scratch[k];
}

static int depth(int n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }

static void many(void) {
  // expect: DOALL sp=16
  // clauses:
  // independent recursions of equal size
  for (int i = 0; i < 16; i++)
    b[i] = depth(6);
}

int main(void) {
  static int scratch[N];
  for (int i = 0; i < N; i++)
    a[i] = sorted[i] = (i * 37) % 64;
  int x = tree(0, N) + chain(20);
  sort(sorted, scratch, N);
  many();
  for (int i = 0; i < N; i++)
    if (sorted[i] != i)
      return 1;
  SHOW(a), SHOW(b), SHOW(sorted);
  return x == 0;
}
