// Regions in which every thread does the same work, some ten milliseconds long: the program itself has no imbalance.
#include <stdio.h>

int main(void) {
  double total = 0;
  for (int step = 0; step < 8; step++) {
#pragma omp parallel reduction(+ : total)
    {
      double sum = step;
      for (int i = 1; i < 4000000; i++) sum += 1.0 / (sum * sum + i);
      total += sum;
    }
  }
  printf("%.6f\n", total);
  return 0;
}
