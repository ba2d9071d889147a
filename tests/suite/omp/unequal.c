// One parallel region with a barrier every few milliseconds. Between two of them thread 1 has twice the work of thread
// 0: on a processor each, thread 0 waits half of its time, and imbalance is a quarter of the time of both.
#include <stdio.h>

int main(void) {
  double total = 0;
#pragma omp parallel reduction(+ : total)
  {
    double sum = 1;
    for (int step = 0; step < 150; step++) {
#pragma omp for schedule(static)
      for (int half = 0; half < 2; half++)
        for (int i = 1; i < (half ? 400000 : 200000); i++) sum += 1.0 / (sum * sum + i);
    }
    total += sum;
  }
  printf("%d\n", total > 0);
  return 0;
}
