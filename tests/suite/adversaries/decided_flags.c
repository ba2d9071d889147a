/* Flags that a minimum's or maximum's own comparison decides: with a running value of its own, a thread sets them otherwise than the serial loop. */
#include <stdio.h>

#define N 3000

static int v[N], w[N];

int main(void) {
  int i;
  for (i = 0; i < N; i++) {
    v[i] = i % (N / 2);
    w[i] = i % 7;
  }
  {
    int best = -1, at = 0, k = 0;
    for (i = 0; i < N; i++)
      if (v[i] > best) {
        best = v[i];
        at = i;
      } else
        k = 1;
    printf("%d %d %d\n", best, at, k);
  }
  {
    int best = -1, k = 0;
    for (i = 0; i < N / 2; i++)
      if (v[i] > best)
        best = v[i];
      else
        k = 1;
    printf("%d %d\n", best, k);
  }
  {
    int best = 5000, found = 0;
    for (i = 0; i < N; i++)
      if (v[i] > best) {
        best = v[i];
        found = 1;
      }
    printf("%d %d\n", best, found);
  }
  {
    int best = 1000, at = -1, found = 0;
    for (i = 0; i < N; i++)
      if (v[i] > best) {
        best = v[i];
        at = i;
        found = 1;
      }
    printf("%d %d %d\n", best, at, found);
  }
  {
    int best = -1, at = 0, k = 1;
    for (i = 0; i < N; i++)
      if (v[i] > best) {
        best = v[i];
        at = i;
        if (i > 2000)
          k = 0;
      }
    printf("%d %d %d\n", best, at, k);
  }
  {
    int best = -1, at = 0, k = 0;
    for (i = 0; i < N; i++) {
      if (v[i] > best) {
        best = v[i];
        at = i;
        continue;
      }
      if (w[i] > 5)
        k = 1;
    }
    printf("%d %d %d\n", best, at, k);
  }
  {
    int best = -1, k = 0; /* its own condition */
    for (i = 0; i < N; i++) {
      if (v[i] > best)
        best = v[i];
      if (w[i] > 5)
        k = 1;
    }
    printf("%d %d\n", best, k);
  }
  return 0;
}
