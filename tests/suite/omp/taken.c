// Two threads, each half of its time in a critical region and holding a lock: on a processor each, they hardly wait.
#include <omp.h>
#include <stdio.h>

static double shared = 1, locked = 1;

static double work(double x, int n) {
  for (int i = 1; i < n; i++) x += 1.0 / (x * x + i);
  return x;
}

int main(void) {
  double total = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel reduction(+ : total)
  {
    double sum = 1;
    for (int step = 0; step < 150; step++) {
      sum = work(sum, 100000);
#pragma omp critical
      shared = work(shared, 100000);
      sum = work(sum, 100000);
      omp_set_lock(&lock);
      locked = work(locked, 100000);
      omp_unset_lock(&lock);
    }
    total += sum;
  }
  printf("%d\n", total + shared + locked > 0);
  return 0;
}
