// One parallel region with a barrier every few milliseconds. All threads have the same work between two barriers, and
// the program itself has no imbalance: where there is some, threads waited for one that had no processor.
#include <stdio.h>

int main(void) {
  double total = 0;
#pragma omp parallel reduction(+ : total)
  {
    double sum = 1;
    for (int step = 0; step < 150; step++) {
#pragma omp for schedule(static)
      for (int half = 0; half < 2; half++)
        for (int i = 1; i < 400000; i++) sum += 1.0 / (sum * sum + i);
    }
    total += sum;
  }
  printf("%d\n", total > 0);
  return 0;
}
