/* Ways out in macros of the file, in branches that clang folds away: no such loop takes a directive. */
#include <stdio.h>
#define N 3000
#define DEBUG 0
static int v[N], out[N]; 
#define CHECK(c) do { if (DEBUG && !(c)) return -1; } while (0)
#define BAIL if (DEBUG) goto fail
#define STOP if (DEBUG) break
static __attribute__((noinline)) int f1(void) {
  for (int i = 0; i < N; i++) {
    CHECK(i >= 0);
    v[i] = i * 5; out[i] = v[i] * 2;
  }
  for (int i = 0; i < N; i++) {
    BAIL;
    out[i] += v[i] * 2;
  }
  for (int i = 0; i < N; i++) {
    out[i] += v[i] * 2;
    STOP;
  }
  for (int i = 0; i < N; i++) {
    switch (v[i] & 3) { case 0: STOP; out[i]++; default: out[i]++; }
  }
  return 0;
fail:
  return 1;
}
int main(void) {
  long s = f1();
  for (int i = 0; i < N; i++) s = s * 31 + out[i];
  printf("%ld\n", s);
}
