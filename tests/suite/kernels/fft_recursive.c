/* Fast Fourier transform: recursive with scratch space, and in place with bit reversal. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#define N 1024
typedef double complex cplx;
static cplx data[N], scratch[N], other[N];

static void recurse(cplx *a, cplx *t, int n, int step) {
  int i;
  if (step >= n)
    return;
  recurse(t, a, n, step * 2);
  recurse(t + step, a + step, n, step * 2);
  for (i = 0; i < n; i += 2 * step) {
    cplx e = cexp(-I * M_PI * i / n) * t[i + step];
    a[i / 2] = t[i] + e;
    a[(i + n) / 2] = t[i] - e;
  }
}

static void in_place(cplx *a, int n) {
  int i, j, k, len, half;
  cplx w, u, v, t;
  for (i = 0, j = 0; i < n; i++) {
    if (i < j) {
      t = a[i];
      a[i] = a[j];
      a[j] = t;
    }
    for (k = n / 2; k && (j & k); k /= 2)
      j &= ~k;
    j |= k;
  }
  for (len = 2; len <= n; len *= 2) {
    half = len / 2;
    for (i = 0; i < n; i += len)
      for (k = 0; k < half; k++) {
        w = cos(2 * M_PI * k / len) - I * sin(2 * M_PI * k / len);
        u = a[i + k];
        v = a[i + k + half] * w;
        a[i + k] = u + v;
        a[i + k + half] = u - v;
      }
  }
}

int main(void) {
  int i;
  double s = 0, d = 0;
  for (i = 0; i < N; i++)
    data[i] = other[i] = sin(i * 0.1) + (i % 7);
  memcpy(scratch, data, sizeof data);
  recurse(data, scratch, N, 1);
  in_place(other, N);
  for (i = 0; i < N; i++) {
    s += cabs(data[i]);
    if (cabs(data[i] - other[i]) > d)
      d = cabs(data[i] - other[i]);
  }
  printf("%.6f %d\n", s, d < 1e-9);
  return 0;
}
