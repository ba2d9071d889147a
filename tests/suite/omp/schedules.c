// Two functions that are compiled into the loop of `main`.
#include <stdio.h>

static double values[1000];

static void grow(void) {
#pragma omp parallel for schedule(dynamic, 10)
  for (int i = 0; i < 1000; i++)
    values[i] += i;
}

static void shrink(void) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 1000; i++)
    values[i] *= 0.5;
}

int main(void) {
  for (int round = 0; round < 10; round++) {
    grow();
    shrink();
  }
  printf("%g\n", values[999]);
  return 0;
}
