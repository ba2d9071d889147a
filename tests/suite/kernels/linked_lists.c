/* Lists: build, reverse, map, filter, merge sort. */
#include <stdio.h>
#include <stdlib.h>
typedef struct node { struct node *next; int v; double w; } node;

static node *cons(int v, node *next) {
  node *n = malloc(sizeof *n);
  n->v = v;
  n->w = 0;
  n->next = next;
  return n;
}

static node *merge(node *a, node *b) {
  node head, *tail = &head;
  while (a && b) {
    if (a->v <= b->v) {
      tail->next = a;
      a = a->next;
    } else {
      tail->next = b;
      b = b->next;
    }
    tail = tail->next;
  }
  tail->next = a ? a : b;
  return head.next;
}

static node *sort(node *l) {
  node *slow = l, *fast, *half;
  if (!l || !l->next)
    return l;
  for (fast = l->next; fast && fast->next; fast = fast->next->next)
    slow = slow->next;
  half = slow->next;
  slow->next = NULL;
  return merge(sort(l), sort(half));
}

int main(void) {
  node *l = NULL, *n, *heads[16];
  int i, j;
  double s = 0;
  long order = 0;
  for (i = 0; i < 2000; i++)
    l = cons(i * 7919 % 2003, l);
  for (n = l; n; n = n->next)
    n->w = n->v / 3.0 + 1 / (n->v + 1.0);
  for (i = 0; i < 16; i++) {
    heads[i] = NULL;
    for (j = 0; j < 100; j++)
      heads[i] = cons(i * j, heads[i]);
  }
  for (i = 0; i < 16; i++)
    for (n = heads[i]; n; n = n->next)
      s += n->v;
  l = sort(l);
  for (n = l, i = 0; n; n = n->next, i++)
    order += (long)i * n->v;
  for (n = l; n; n = n->next)
    s += n->w;
  printf("%ld %.9f\n", order, s);
  return 0;
}
