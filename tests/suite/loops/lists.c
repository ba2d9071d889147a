// Linked structures: the way to the next element is a chain of loads, and whether there is one is a condition.
#include "show.h"
#include <stddef.h>
enum { N = 64 };
static struct node { struct node *next; double value; long key; } nodes[N], *table[16];
static double sink;

static void heavy(struct node *head) {
  // expect: DOACROSS sp=64*109/(63*5+109) iters=64
  // carried: p +0->+1 distance 1
  // next: load 4, compare 1 = 5 from one iteration to the next (data and control); body: load 4, eight divisions 104, store 1
  for (struct node *p = head; p; p = p->next)
    p->value = p->value / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0;
}

static long light(struct node *head) {
  long sum = 0;
  // expect: SERIAL sp=1 iters=64
  // carried: p +0->+1 distance 1
  // the sum is a reduction, but next (load 4, compare 1) is as long as the iteration's own path (load 4, add 1)
  for (struct node *p = head; p != NULL; p = p->next)
    sum += p->key;
  return sum;
}

static struct node *find(struct node *head, long key) {
  // expect: SERIAL sp=1 iters=42
  // carried: head +1->+0 distance 1
  // carried: head +1->+1 distance 1
  // key test (load 4, compare 1) decides whether next is loaded at all (load 4, compare 1): 10 from iteration to iteration
  while (head && head->key != key)
    head = head->next;
  return head;
}

static int stack[N * N], depth, met[N], order;

// Three ways back to the begin of one loop.
static void visited(void) {
  stack[depth++] = 0;
  // expect: SERIAL iters=115
  // carried: stack[] +8->+1 distance 1..114
  // carried: depth +1->+0 distance 1
  // carried: depth +1->+1 distance 1
  // carried: depth +8->+0 distance 1
  // carried: depth +8->+1 distance 1
  // carried: order +4->+4 distance 1..15
  // carried: met[] +4->+2 distance 4..95
  while (depth > 0) {
    int u = stack[--depth];
    if (met[u])
      continue;
    met[u] = ++order;
    if (u % 2 && 5 * u + 2 >= N)
      continue;
    for (int k = 1; k < 4; k++)
      stack[depth++] = (u * 3 + k) % N;
  }
}

static void chase(const int *next, int *out, int start, int n) {
  int at = start;
  // expect: SERIAL sp=64*5/(63*4+5)
  // carried: at +1->+1 distance 1
  // index chasing in a counted loop: at: load 4 per iteration; store 1 at the end
  for (int i = 0; i < n; i++) {
    at = next[at];
    out[i] = at;
  }
}

int main(void) {
  static int next[N], out[N];
  for (int i = 0; i < N; i++) {
    nodes[i].next = i + 1 < N ? &nodes[i + 1] : NULL;
    nodes[i].value = i;
    nodes[i].key = i;
    next[i] = (i * 5 + 1) % N;
  }
  heavy(nodes);
  sink = light(nodes);
  table[0] = find(nodes, 41);
  chase(next, out, 0, N);
  visited();
  SHOW(sink), SHOW(met);
  return 0;
}
