/* Breadth-first search with a queue, page rank, triangle counting on a made-up graph. */
#include <stdio.h>
#include <stdlib.h>
#define V 500
#define DEG 8
int adj[V][DEG], level[V], queue[V], head, tail;
double rank[V], next[V];

void search(int from) {
  int i, k, u, w;
  for (i = 0; i < V; i++)
    level[i] = -1;
  level[from] = 0;
  head = tail = 0;
  queue[tail++] = from;
  while (head < tail) {
    u = queue[head++];
    for (k = 0; k < DEG; k++) {
      w = adj[u][k];
      if (level[w] < 0) {
        level[w] = level[u] + 1;
        queue[tail++] = w;
      }
    }
  }
}

void page_rank(int steps) {
  int t, i, k;
  double share;
  for (i = 0; i < V; i++)
    rank[i] = 1.0 / V;
  for (t = 0; t < steps; t++) {
    for (i = 0; i < V; i++)
      next[i] = 0.15 / V;
    for (i = 0; i < V; i++) {
      share = 0.85 * rank[i] / DEG;
      for (k = 0; k < DEG; k++)
        next[adj[i][k]] += share;
    }
    for (i = 0; i < V; i++)
      rank[i] = next[i];
  }
}

int main(void) {
  int i, k, l, m, far = 0;
  long triangles = 0, sum = 0;
  double s = 0;
  for (i = 0; i < V; i++)
    for (k = 0; k < DEG; k++)
      adj[i][k] = (i * (k + 2) + k * 37 + 1) % V;
  search(3);
  page_rank(8);
  for (i = 0; i < V; i++)
    for (k = 0; k < DEG; k++)
      for (l = 0; l < DEG; l++)
        for (m = 0; m < DEG; m++)
          if (adj[adj[adj[i][k]][l]][m] == i)
            triangles++;
  for (i = 0; i < V; i++) {
    sum += level[i];
    if (level[i] > far)
      far = level[i];
    s += rank[i] * (i % 17);
  }
  printf("%d %ld %ld %d %.9f\n", far, sum, triangles, tail, s);
  return 0;
}
