// A scratch array that two inner loops work on, which begin more often than instances of them are observed.
#include <stdio.h>

#define N 3000
#define M 64

static double tmp[M], out[N];

int main(void) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double t = 0;
    for (int k = 0; k < M; k++)
      tmp[k] = i * 0.5 + k;
    for (int k = 0; k < M; k++)
      t += tmp[k];
    out[i] = t;
  }
  for (int i = 0; i < N; i++)
    s += out[i];
  printf("%g\n", s);
  return 0;
}
