/* Connected components: union-find, label propagation, Kruskal's tree. */
#include <stdio.h>
#include <stdlib.h>
#define V 800
#define E 1600
struct edge { int a, b, w; };
static struct edge edges[E];
static int parent[V], label[V], degree[V];

static int find(int x) {
  while (parent[x] != x) {
    parent[x] = parent[parent[x]];
    x = parent[x];
  }
  return x;
}

static int compare(const void *a, const void *b) {
  const struct edge *x = a, *y = b;
  return x->w != y->w ? x->w - y->w : x->a * V + x->b - (y->a * V + y->b);
}

int main(void) {
  int i, changed = 1, rounds = 0, parts = 0, r1, r2;
  long tree = 0, labels = 0, sq = 0;
  for (i = 0; i < E; i++) {
    edges[i].a = i * 61 % V;
    edges[i].b = (i * 43 + i / 7) % V;
    edges[i].w = i * 7919 % 997;
  }
  for (i = 0; i < V; i++)
    parent[i] = label[i] = i;
  for (i = 0; i < E; i++) {
    degree[edges[i].a]++;
    degree[edges[i].b]++;
  }
  while (changed) {
    changed = 0;
    for (i = 0; i < E; i++) {
      int a = edges[i].a, b = edges[i].b;
      if (label[a] < label[b]) {
        label[b] = label[a];
        changed = 1;
      } else if (label[b] < label[a]) {
        label[a] = label[b];
        changed = 1;
      }
    }
    rounds++;
  }
  qsort(edges, E, sizeof *edges, compare);
  for (i = 0; i < E; i++) {
    r1 = find(edges[i].a);
    r2 = find(edges[i].b);
    if (r1 != r2) {
      parent[r1] = r2;
      tree += edges[i].w;
    }
  }
  for (i = 0; i < V; i++) {
    parts += find(i) == i;
    labels += label[i];
    sq += degree[i] * degree[i];
  }
  printf("%d %d %ld %ld %ld\n", rounds, parts, tree, labels, sq);
  return 0;
}
