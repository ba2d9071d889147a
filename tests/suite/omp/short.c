// 76 steps of far less than a millisecond, in which threads work unequally.
#include <omp.h>
#include <stdio.h>

static double part(int thread, int count) {
  double sum = thread;
  for (int i = 1; i < count; i++) sum += 1.0 / (sum * sum + i);
  return sum;
}

int main(void) {
  double total = 0;
  for (int step = 0; step < 76; step++) {
#pragma omp parallel reduction(+ : total)
    total += part(omp_get_thread_num(), 20000 + 4000 * omp_get_thread_num());
#pragma omp parallel reduction(+ : total)
    total += part(omp_get_thread_num(), 10000);
  }
  printf("%.6f\n", total);
  return 0;
}
