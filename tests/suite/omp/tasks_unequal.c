// One thread makes pairs of tasks, of which the second takes a third of the first one's time, and waits for them; another thread helps.
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
  for (int round = 0; round < 120; round++) {
    for (int task = 0; task < 2; task++)
#pragma omp task shared(sums)
      sums[task] += work(task == 0 ? 3000000 : 1000000);
#pragma omp taskwait
  }
  printf("%.6f\n", sums[0] + sums[1]);
  return 0;
}
