// Fewer sections than threads, as many as that and one more: how many each thread gets is known.
#include <stdio.h>

static double work(int n) {
  volatile double sum = 0;
  for (int i = 0; i < n; i++)
    sum += i;
  return sum;
}

int main(void) {
  double sum = 0;
  for (int round = 0; round < 10; round++) {
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
#pragma omp sections
      {
#pragma omp section
        sum += work(200000);
      }
#pragma omp sections
      {
#pragma omp section
        sum += work(1000);
#pragma omp section
        sum += work(1000);
#pragma omp section
        sum += work(1000);
#pragma omp section
        sum += work(1000);
#pragma omp section
        sum += work(1000);
      }
    }
  }
  printf("%g\n", sum);
  return 0;
}
