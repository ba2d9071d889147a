// Iterations of a tenth of a second, each with an array of variable length.  Arguments: iterations, elements.
#include <stdio.h>
#include <stdlib.h>
static double work(int steps, int n) {
  double sum = 0;
  for (int s = 0; s < steps; s++) {
    double t[n + (s & 3)];
    for (int i = 0; i < n; i++) t[i] = i * 0.5 + s;
    for (int k = 0; k < 20; k++)
      for (int i = 1; i < n; i++)
        for (int r = 0; r < 8; r++) t[i] += 0.25 * t[i - 1] / (1.0 + t[i]);
    sum += t[n - 1];
  }
  return sum;
}
int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 100, n = argc > 2 ? atoi(argv[2]) : 20000;
  printf("%.6f\n", work(steps, n));
}
