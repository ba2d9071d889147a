// One thread makes pairs of equal tasks and waits for them, by taskwait and by taskgroup in turn; the other threads help.
#include <stdio.h>

static double work(int count) {
  double sum = count;
  for (int i = 1; i < count; i++) sum += 1.0 / (sum * sum + i);
  return sum;
}

int main(void) {
  double sums[2] = {0, 0};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 60; round++) {
    for (int task = 0; task < 2; task++)
#pragma omp task shared(sums)
      sums[task] += work(2000000);
#pragma omp taskwait
#pragma omp taskgroup
    for (int task = 0; task < 2; task++)
#pragma omp task shared(sums)
      sums[task] += work(2000000);
  }
  printf("%.6f\n", sums[0] + sums[1]);
  return 0;
}
