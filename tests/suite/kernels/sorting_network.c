/* Odd-even transposition, bitonic sort, shell sort, counting sort. */
#include <stdio.h>
#include <string.h>
#define N 512
#define SWAP(a, b) { int t_ = a; a = b; b = t_; }
static int v[N], u[N], w[N], c[N], counts[1024];

static void fill(int *a, int n) {
  int i;
  for (i = 0; i < n; i++)
    a[i] = i * 7919 % 1021;
}

static void odd_even(int *a, int n) {
  int phase, i;
  for (phase = 0; phase < n; phase++)
    for (i = phase % 2; i + 1 < n; i += 2)
      if (a[i] > a[i + 1])
        SWAP(a[i], a[i + 1]);
}

static void bitonic(int *a, int n) {
  int k, j, i, l;
  for (k = 2; k <= n; k *= 2)
    for (j = k / 2; j > 0; j /= 2)
      for (i = 0; i < n; i++) {
        l = i ^ j;
        if (l > i && ((i & k) == 0) == (a[i] > a[l]))
          SWAP(a[i], a[l]);
      }
}

static void shell(int *a, int n) {
  int gap, i, j, t;
  for (gap = n / 2; gap > 0; gap /= 2)
    for (i = gap; i < n; i++) {
      t = a[i];
      for (j = i; j >= gap && a[j - gap] > t; j -= gap)
        a[j] = a[j - gap];
      a[j] = t;
    }
}

static void counting(int *a, int n) {
  int i, at = 0, k;
  memset(counts, 0, sizeof counts);
  for (i = 0; i < n; i++)
    counts[a[i]]++;
  for (k = 0; k < 1024; k++)
    for (i = 0; i < counts[k]; i++)
      a[at++] = k;
}

int main(void) {
  int i;
  unsigned long s = 0;
  fill(v, N), fill(u, N), fill(w, N), fill(c, N);
  odd_even(v, N);
  bitonic(u, N);
  shell(w, N);
  counting(c, N);
  for (i = 0; i < N; i++)
    s = s * 7 + v[i] + 2 * u[i] + 3 * w[i] + 5 * c[i];
  printf("%lu %d\n", s, memcmp(v, u, sizeof v) || memcmp(v, w, sizeof v) || memcmp(v, c, sizeof v));
  return 0;
}
