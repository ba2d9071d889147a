/* One-dimensional convolutions: gather form, scatter form, recursive filter, upsampling. */
#include <stdio.h>
#include <stdlib.h>
#define N 3000
#define M 31
float in[N], taps[M], gather[N], *scatter, iir[N], up[2 * N];

int main(void) {
  int i, j;
  float acc;
  double s = 0;
  scatter = calloc(N + M, sizeof(float));
  for (i = 0; i < N; i++)
    in[i] = (float)(i * 37 % 64) / 8;
  for (j = 0; j < M; j++)
    taps[j] = (float)(j < M / 2 ? j : M - j) / 16;
  for (i = 0; i < N; i++) {
    acc = 0;
    for (j = 0; j < M; j++)
      if (i - j >= 0)
        acc += in[i - j] * taps[j];
    gather[i] = acc;
  }
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++)
      scatter[i + j] += in[i] * taps[j];
  iir[0] = in[0];
  for (i = 1; i < N; i++)
    iir[i] = 0.5f * iir[i - 1] + in[i];
  for (i = 0; i < N - 1; i++) {
    up[2 * i] = in[i];
    up[2 * i + 1] = (in[i] + in[i + 1]) / 2;
  }
  for (i = 0; i < N; i++)
    s += gather[i] + 2 * scatter[i] + 3 * iir[i] + up[i] + up[N + i];
  printf("%.4f\n", s);
  free(scatter);
  return 0;
}
