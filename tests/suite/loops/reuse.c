// levels: O0 O1 O3
// Storage used again: a stack slot, a block of the heap. The same address is not the same object.
#include "show.h"
#include <stdlib.h>
#include <string.h>
enum { N = 64 };
static int v[N], out[N], pool[N], used, grown_sum;

static int locals(int x) {
  int t[16], s = 0;
  for (int j = 0; j < 16; j++)
    t[j] = x + j * j;
  for (int j = 0; j < 16; j++)
    s += t[15 - j] ^ j;
  return s;
}

static int deep(int n, int x) {
  int t[4] = {x, x + 1, x + 2, n};
  if (n == 0)
    return t[x & 3];
  return deep(n - 1, x + t[n & 3]) + t[2];
}

struct triple { int a, b, c; };
static struct triple made(int x) { return (struct triple){x, x * 2, x * 3}; }

static void frames(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    out[i] = locals(v[i]);
}

static void deep_frames(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    out[i] += deep(i % 7, v[i]);
}

static void sized(int n) {
  // expect: DOALL
  // clauses: firstprivate(n)
  for (int i = 0; i < N; i++) {
    int t[n];
    for (int j = 0; j < n; j++)
      t[j] = i * j;
    out[i] += t[n - 1] + t[i % n];
  }
}

static void returned(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    struct triple t = made(v[i]);
    out[i] += t.a + t.b * t.c;
  }
}

static void blocks(void) {
  // expect: DOALL
  // clauses:
  // malloc gives the same block again and again
  for (int i = 0; i < N; i++) {
    int *p = malloc(16 * sizeof *p);
    for (int j = 0; j < 16; j++)
      p[j] = i + j;
    out[i] += p[3] * p[i & 15];
    free(p);
  }
}

static void zeroed(void) {
  // expect: DOALL
  // clauses:
  // calloc writes zeros where the block before had numbers
  for (int i = 0; i < N; i++) {
    int *p = calloc(16, sizeof *p);
    p[i & 15] += v[i];
    out[i] += p[3] + p[i & 15];
    free(p);
  }
}

static void enlarged(void) {
  // expect: DOALL
  // clauses:
  // a block of its own, enlarged within the iteration
  for (int i = 0; i < N; i++) {
    int *p = malloc(4 * sizeof *p);
    for (int j = 0; j < 4; j++)
      p[j] = i ^ j;
    p = realloc(p, 400 * sizeof *p);
    out[i] += p[i & 3];
    free(p);
  }
}

static void growing(void) {
  int *p = NULL;
  // expect: CARRIED
  // carried: p +1->+1 distance 1
  // carried: p[] +2->+2 distance 1
  for (int i = 0; i < N; i++) {
    p = realloc(p, (i + 1) * sizeof *p);
    p[i] = i ? p[i - 1] * 3 % 1009 + v[i] : 1;
  }
  grown_sum = p[N - 1];
  free(p);
}

static void handed_over(void) {
  int *kept = calloc(4, sizeof *kept);
  // expect: CARRIED
  // carried: kept +1->+3 distance 1
  // carried: kept[] +2->+3 distance 1
  // every iteration reads the block of the one before and frees it
  for (int i = 0; i < N; i++) {
    int *p = malloc(4 * sizeof *p);
    p[0] = v[i];
    out[i] += kept[0];
    free(kept);
    kept = p;
  }
  free(kept);
}

static void pooled(void) {
  used = 0;
  // expect: CARRIED
  // carried: used +3->+3 distance 1..3
  for (int i = 0; i < N; i++)
    if (v[i] & 1)

      pool[used++] = v[i];
}

static void strings(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    char word[16];
    sprintf(word, "%d", v[i] * 77);
    char *copy = strdup(word);
    out[i] += copy[0] + (int)strlen(copy);
    free(copy);
  }
}

static void two_blocks(void) {
  int *p[2] = {calloc(1, sizeof(int)), calloc(1, sizeof(int))};
  // expect: CARRIED
  // carried: *p[] +1->+1 distance 2
  // two blocks in turn: the distance is 2
  for (int i = 0; i < N; i++)
    *p[i & 1] = *p[i & 1] * 3 % 1009 + v[i];
  out[0] += *p[0] - *p[1];
  free(p[0]);
  free(p[1]);
}

static void rows(void) {
  int **m = malloc(N * sizeof *m);
  // expect: DOALL
  // clauses: firstprivate(m)
  for (int i = 0; i < N; i++) {
    m[i] = malloc(8 * sizeof **m);
    for (int j = 0; j < 8; j++)
      m[i][j] = i * j;
  }
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    out[i] += m[i][i & 7];
    free(m[i]);
  }
  free(m);
}

int main(void) {
  for (int i = 0; i < N; i++)
    v[i] = i * 7 % 23;
  frames();
  deep_frames();
  sized(12);
  returned();
  blocks();
  zeroed();
  enlarged();
  growing();
  handed_over();
  pooled();
  strings();
  two_blocks();
  rows();
  SHOW(out), SHOW(pool), SHOW(used), SHOW(grown_sum);
  return 0;
}
