// A maximum whose variable is replaced elsewhere as well, by the very value that it was compared with: no reduction.
#include <stdio.h>
enum { N = 4000 };
static double x[N]; static int ok[N];
static double two(int n) {
  double m = -1;
  int i;
  for (i = 0; i < n; i++) {
    if (x[i] > m)
      m = x[i];
    if (ok[i])
      m = x[i];
  }
  return m;
}
static int ends(int n) {
  double m = -1;
  int i, k = 0;
  for (i = 0; i < n; i++) {
    if (x[i] > m) {
      m = x[i];
      k = i;
    } else
      m = x[i];
  }
  printf("%g\n", m);
  return k;
}
static int some(int n) {
  double m = -1;
  int i, k = 0;
  for (i = 0; i < n; i++) {
    if (x[i] > m) {
      m = x[i];
      k = i;
    }
    if (x[n - 1 - i] > m)
      m = x[n - 1 - i];
  }
  printf("%g\n", m);
  return k;
}
static double chosen(int n) {
  double m = -1;
  int i;
  for (i = 0; i < n; i++) {
    int c = x[i] > m;
    if (ok[i])
      m = x[i];
    if (c)
      m = x[i];
  }
  return m;
}
int main(void) {
  for (int i = 0; i < N; i++) x[i] = (i * 7919 % 1013) % 97, ok[i] = i % 3 == 1;
  printf("%g\n", two(N)); printf("%d\n", ends(N)); printf("%d\n", some(N)); printf("%g\n", chosen(N));
}
