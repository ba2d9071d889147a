// One thread makes pairs of equal tasks, and a third that depends on both, and waits for that by `taskwait depend`; the
// other threads help.
#include <stdio.h>

static double work(int count) {
  double sum = count;
  for (int i = 1; i < count; i++) sum += 1.0 / (sum * sum + i);
  return sum;
}

int main(void) {
  double sums[2] = {0, 0}, all = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 90; round++) {
    for (int task = 0; task < 2; task++)
#pragma omp task shared(sums) depend(inout : sums[task])
      sums[task] += work(2000000);
#pragma omp task shared(sums, all) depend(in : sums[0], sums[1]) depend(inout : all)
    all += sums[0] + sums[1];
#pragma omp taskwait depend(in : all)
  }
  printf("%.6f\n", all);
  return 0;
}
