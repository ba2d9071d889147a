// Variables that iterations go on counting and that the loop reaches through pointers, references and member functions
// alone. A local variable is in a register after preparation, and no run sees accesses of it.
#include <cstdio>
#include <vector>

#define N 900

struct counter {
  int n, sum;
};
struct both {
  struct counter in;
  int k;
};
static int a[N], out[N];
static struct counter shared;

int main(int argc, char **argv) {
  int i, v = 0, *pv = &v, elements[4] = {0}, *pe = elements;
  struct counter s = {0, 0}, *p = &s, *q = argc > 3 ? &s : &shared;
  struct both t = {{0, 0}, 5}, *pt = &t;
  struct counter *in = &t.in;
  unsigned sum = 0;
  // clauses: none
  for (i = 0; i < N; i++)
    a[i] = i % 7;
  // clauses: words
  for (i = 0; i < N; i++)
    out[i] = v++;
  // clauses: words
  for (i = 0; i < N; i++)
    out[i] += (*pv)++;
  // clauses: words
  for (i = 0; i < N; i++)
    out[i] += in->n++;
  // clauses: words
  for (i = 0; i < N; i++) {
    pt->k -= 3;
    out[i] += pt->k;
  }
  // clauses: words
  for (i = 0; i < N; i++)
    out[i] += pe[2]++;
  // clauses: words
  for (i = 0; i < N; i++)
    out[i] += q->n++;
  int &r = elements[1];
  // clauses: words
  for (i = 0; i < N; i++)
    out[i] += r++;
  std::vector<int> all(N);
  auto at = all.begin();
  // clauses: words
  for (i = 0; i < N; i++)
    *at++ = i;
  // clauses: none
  for (i = 0; i < N; i++)
    out[i] += p->n + *pv;
  for (i = 0; i < N; i++)
    sum = sum * 31 + out[i];
  printf("%u %d %d %d %d\n", sum, v, t.k, elements[2], s.n);
  return 0;
}
