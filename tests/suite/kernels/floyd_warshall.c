/* All shortest paths with predecessors. */
#include <stdio.h>
#define N 80
#define INF 1000000
static int dist[N][N], next[N][N];

static void init(void) {
  int i, j;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      int w = (i * 31 + j * 17) % 97 + 1;
      dist[i][j] = i == j ? 0 : w < 30 ? w : INF;
      next[i][j] = dist[i][j] < INF ? j : -1;
    }
}

static void floyd(int n) {
  int i, j, k;
  for (k = 0; k < n; k++)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        int via = dist[i][k] + dist[k][j];
        if (via < dist[i][j]) {
          dist[i][j] = via;
          next[i][j] = next[i][k];
        }
      }
}

int main(void) {
  long sum = 0, hops = 0;
  int i, j, at;
  init();
  floyd(N);
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      sum += dist[i][j];
      at = i;
      while (at != j && at >= 0) {
        at = next[at][j];
        hops++;
      }
    }
  printf("%ld %ld\n", sum, hops);
  return 0;
}
