// Loops for the vectors of one core: such that clang vectorizes by itself, and such that need a directive.
#include <stdio.h>

#define N 3000

static float x[N], y[N], z[N], far[8 * N];
static int at[N];

__attribute__((noinline)) float dot(const float *a, const float *b, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) // a sum
    s += a[i] * b[i];
  return s;
}

__attribute__((noinline)) void scale(float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) // clang does it
    a[i] = 2 * b[i] + 1;
}

__attribute__((noinline)) double spread(const float *a, const int *where, int n) {
  double s = 0, t;
  int i;
  for (i = 0; i < n; i++) { // with a variable of its own
    t = a[where[i]];
    s += t * t;
  }
  return s;
}

__attribute__((noinline)) float jumps(const float *a, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) // in jumps
    s += a[8 * i];
  return s;
}

__attribute__((noinline)) void grid(float (*out)[60], float (*in)[60]) {
  for (int i = 1; i < 59; i++) // a nest
    for (int j = 1; j < 59; j++)
      out[i][j] = (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]) / 4;
}

int main(void) {
  static float in[60][60], out[60][60];
  for (int i = 0; i < N; i++) {
    x[i] = (float)(i % 7);
    y[i] = (float)(i % 3);
    at[i] = i * 31 % N;
  }
  for (int i = 0; i < 8 * N; i++)
    far[i] = (float)(i % 5);
  for (int i = 0; i < 60; i++)
    for (int j = 0; j < 60; j++)
      in[i][j] = (float)(i ^ j);
  double all = 0;
  for (int k = 0; k < 40; k++) {
    scale(z, x, N);
    all += dot(x, y, N) + spread(y, at, N) + jumps(far, N);
    grid(out, in);
  }
  // Small whole numbers: sums in any order are exact.
  printf("%.0f %g %g\n", all, z[7], out[9][9]);
  return 0;
}
