/* Reductions as people write them: several at once, in structs, through pointers, with positions, with early exits. */
#include <math.h>
#include <stdio.h>
#define N 5000
typedef struct { double sum, sumsq; int count, neg; } stats;
static double v[N], lo, hi;
static int iv[N];
stats global;

static void collect(stats *s, double *p, int n) {
  int i;
  for (i = 0; i < n; i++) {
    s->sum += p[i];
    s->sumsq += p[i] * p[i];
    s->count++;
    if (p[i] < 0)
      s->neg++;
  }
}

static void range(double *p, int n, double *min, double *max) {
  int i;
  *min = *max = p[0];
  for (i = 1; i < n; i++) {
    if (p[i] < *min)
      *min = p[i];
    if (p[i] > *max)
      *max = p[i];
  }
}

static int argmax(double *p, int n) {
  int i, im = 0;
  double m = p[0];
  for (i = 1; i < n; i++)
    if (p[i] > m) {
      m = p[i];
      im = i;
    }
  return im;
}

static int find(int *p, int n, int x) {
  int i;
  for (i = 0; i < n; i++)
    if (p[i] == x)
      return i;
  return -1;
}

int main(void) {
  int i, any = 0, all = 1;
  unsigned x = 0;
  long prod = 1;
  double norm = 0;
  for (i = 0; i < N; i++) {
    v[i] = sin(i * 0.7) * (i % 100);
    iv[i] = i * 7919 % 5003;
  }
  collect(&global, v, N);
  range(v, N, &lo, &hi);
  for (i = 0; i < N; i++) {
    any = any || iv[i] == 4999;
    all = all && iv[i] >= 0;
    x ^= iv[i];
    prod = prod * (iv[i] % 3 + 1) % 1000003;
    norm = fmax(norm, fabs(v[i]));
  }
  printf("%.8f %.8f %d %d %.9f %.9f %d %d\n", global.sum, global.sumsq, global.count, global.neg, lo, hi, argmax(v, N),
         find(iv, N, 17));
  printf("%d %d %u %ld %.9f\n", any, all, x, prod, norm);
  return 0;
}
