/* A random walk and an integral with the C library's rand(). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define SAMPLES 20000

static double f(double x) { return exp(-x * x) * sin(3 * x) + 1; }

int main(void) {
  static int visits[256];
  int i, at = 128, far = 0;
  double sum = 0;
  srand(7);
  for (i = 0; i < SAMPLES; i++) {
    at += rand() % 2 ? 1 : -1;
    visits[at & 255]++;
    if (abs(at - 128) > far)
      far = abs(at - 128);
  }
  for (i = 0; i < SAMPLES; i++)
    sum += f(rand() / (RAND_MAX + 1.0) * 4);
  for (i = 0; i < 256; i++)
    sum += visits[i] * (double)i;
  printf("%d %d %.9g\n", at, far, sum);
  return 0;
}
