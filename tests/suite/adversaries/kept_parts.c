/* What is kept beside a maximum in parts of arrays and structures, in other signs and other widths, and where the text has traps. */
#include <stdio.h>

#define N 3000
#define UPDATE(x) if ((x) > best) { best = (x); at = i; }

static int v[N];
static char ch[N];

int main(void) {
  int i, j, k;
  for (i = 0; i < N; i++) {
    v[i] = i * 7 % 1000;
    ch[i] = (char)(i * 5);
  }
  {
    int best = -1, pos[2] = {0, 0};
    for (i = 0; i < 50; i++)
      for (j = 0; j < 60; j++)
        if (v[i * 60 + j] > best) {
          best = v[i * 60 + j];
          pos[0] = i;
          pos[1] = j;
        }
    printf("%d %d %d\n", best, pos[0], pos[1]);
  }
  {
    struct {
      double v, w;
    } q = {0, 0};
    int best = -1, at = 0;
    for (i = 0; i < N; i++) {
      if (v[i] > best) {
        best = v[i];
        at = i;
        q.v = v[i];
        q.w = i;
      }
    }
    printf("%d %d %g %g\n", best, at, q.v, q.w);
  }
  {
    struct {
      int x, y;
    } q = {0, 0};
    int best = -1, at = 0;
    for (i = 0; i < N; i++) {
      q.y = v[i];
      if (v[i] > best) {
        best = v[i];
        at = i;
        q.x = v[i];
      }
    }
    printf("%d %d %d %d\n", best, at, q.x, q.y);
  }
  {
    char best = 0;
    int at = 0;
    for (i = 0; i < N; i++)
      if ((unsigned char)ch[i] > (unsigned char)best) {
        best = ch[i];
        at = i;
      }
    printf("%d %d\n", best, at);
  }
  {
    char best = 0;
    for (i = 0; i < N; i++)
      if ((unsigned char)ch[i] > (unsigned char)best)
        best = ch[i];
    printf("%d\n", best);
  }
  {
    int best = -100;
    long at = 7;
    for (k = -1500; k < 1500; k++)
      if (v[k + 1500] > best) {
        best = v[k + 1500];
        at = (unsigned)k;
      }
    printf("%d %ld\n", best, at);
  }
  {
    int best = -1, at = 0;
    for (i = 0; i < N; i++)
      UPDATE(v[i])
    printf("%d %d\n", best, at);
  }
  {
    int best = -1, at = 0;
    for (i = 0; i < N; i++) {
      UPDATE(v[i])
    } /* what
      follows on
      these lines */
    printf("%d %d\n", best, at);
  }
  {
    int best = -100, at = 0, parascan_best = 3;
    for (i = 0; i < N; i++)
      if (v[i] * parascan_best > best) {
        best = v[i] * parascan_best;
        at = i;
      }
    printf("%d %d\n", best, at);
  }
  return 0;
}
