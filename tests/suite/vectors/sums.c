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

__attribute__((noinline)) float least(const float *a, int n) {
  float m = a[0];
  for (int i = 1; i < n; i++) // a minimum
    if (a[i] < m)
      m = a[i];
  return m;
}

// Of what follows clang would make one copy for all elements of a vector, if there was a directive.
__attribute__((noinline)) void choose(float *out, const float *a, const int *where, int n) {
  for (int i = 0; i < n; i++) { // an array of its own
    float t[2];
    t[0] = a[i];
    t[1] = 3 * a[i];
    out[i] = t[where[i] & 1];
  }
}

__attribute__((noinline)) void outside(float *out, const float *a, const int *where, int n) {
  float t[2];
  for (int i = 0; i < n; i++) { // an array from outside
    t[0] = a[i];
    t[1] = 5 * a[i];
    out[i] = t[where[i] & 1];
  }
}

__attribute__((noinline)) void count(int *h, const float *a, int n) {
  for (int i = 0; i < n; i++) // a histogram
    h[(int)a[i]]++;
}

__attribute__((noinline)) float frame(const float *a) {
  float own[N], s = 0;
  for (int i = 0; i < N; i++) // elements of the frame
    own[i] = a[i] / 3;
  for (int i = 0; i < N; i++)
    s += own[N - 1 - i];
  return s;
}

__attribute__((noinline)) void grid(float (*out)[60], float (*in)[60]) {
  for (int i = 1; i < 59; i++) // a nest
    for (int j = 1; j < 59; j++)
      out[i][j] = (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]) / 4;
}

int main(void) {
  static float in[60][60], out[60][60];
  static int counts[8];
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
    all += dot(x, y, N) + spread(y, at, N) + jumps(far, N) + least(x, N);
    grid(out, in);
    choose(z, x, at, N);
    all += z[k];
    outside(z, x, at, N);
    all += z[k] + (double)(int)frame(y) * 0;
    count(counts, x, N);
  }
  // Small whole numbers: sums in any order are exact.
  printf("%.0f %g %g %d\n", all, z[7], out[9][9], counts[3]);
  return 0;
}
