// Regions that begin with statements of another file: a call that is inlined, and text that is included.
#include <stdio.h>

#include "halve.h"

static double values[1000];
static volatile double result;

int main(void) {
  for (int i = 0; i < 1000; i++)
    values[i] = i;
#pragma omp parallel num_threads(2)
  {
    result = halve(values, 1000);
  }
#pragma omp parallel num_threads(2)
#include "store.h"
  printf("%g\n", result);
  return 0;
}
