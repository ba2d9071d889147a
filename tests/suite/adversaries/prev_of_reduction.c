/* A sum or maximum as it was before the last iteration, read after the loop. */
#include <stdio.h>
#define N 4000
static int v[N];
int main(void) { int s = 0, t = 0, m = -1, u = 0;
  for (int i = 0; i < N; i++) v[i] = i * 7 % 31 + (i == 9) * 100;
  for (int i = 0; i < N; i++) {
    t = s; s += v[i];
  }
  for (int i = 0; i < N; i++) {
    u = m; if (v[i] > m) m = v[i];
  }
  printf("%d %d %d %d\n", s, t, m, u);
}
