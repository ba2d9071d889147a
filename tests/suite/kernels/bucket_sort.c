/* Bucket sort with fixed buckets, radix sort, and a histogram through pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 5000
#define B 50
#define CAP 400
static int data[N], bucket[B][CAP], fill[B], tmp[N], radix[N];

static void insertion(int *a, int n) {
  int i, j, t;
  for (i = 1; i < n; i++) {
    t = a[i];
    for (j = i - 1; j >= 0 && a[j] > t; j--)
      a[j + 1] = a[j];
    a[j + 1] = t;
  }
}

static void histogram(const int *v, int n, int *h, int bins) {
  int i;
  for (i = 0; i < n; i++)
    h[v[i] % bins]++;
}

static void pass(int *from, int *to, int n, int shift) {
  int count[17] = {0}, i;
  for (i = 0; i < n; i++)
    count[(from[i] >> shift & 15) + 1]++;
  for (i = 0; i < 16; i++)
    count[i + 1] += count[i];
  for (i = 0; i < n; i++)
    to[count[from[i] >> shift & 15]++] = from[i];
}

int main(void) {
  int i, j, at = 0, h[64] = {0}, wrong = 0;
  long s = 0;
  for (i = 0; i < N; i++)
    data[i] = radix[i] = i * 7919 % 65521;
  histogram(data, N, h, 64);
  for (i = 0; i < N; i++) {
    int b = data[i] * B / 65536;
    bucket[b][fill[b]++] = data[i];
  }
  for (i = 0; i < B; i++)
    insertion(bucket[i], fill[i]);
  for (i = 0; i < B; i++)
    for (j = 0; j < fill[i]; j++)
      data[at++] = bucket[i][j];
  for (i = 0; i < 16; i += 8) {
    pass(radix, tmp, N, i);
    pass(tmp, radix, N, i + 4);
  }
  for (i = 0; i < N; i++) {
    wrong += data[i] != radix[i];
    s += (long)i * data[i];
  }
  for (i = 0; i < 64; i++)
    s += h[i] * i;
  printf("%ld %d %d\n", s, wrong, at);
  return 0;
}
