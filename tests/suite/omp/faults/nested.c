// Nested regions (2 x 2 threads), a cancelled loop, a cancelled region, a region in a task, more threads than processors.
#include <omp.h>
#include <stdio.h>

int main(void) {
  omp_set_max_active_levels(3);
  int inner = 0, many = 0, in_task = 0;
  for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp atomic
        inner++;
      }
#pragma omp for
      for (int i = 0; i < 1000; i++) {
        if (i % 100 == 7) {
#pragma omp cancel for
        }
      }
#pragma omp single
      {
#pragma omp task
        {
#pragma omp parallel num_threads(2)
#pragma omp atomic
          in_task++;
        }
      }
    }
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
      }
#pragma omp barrier
    }
  }
#pragma omp parallel num_threads(64)
  {
#pragma omp atomic
    many++;
#pragma omp barrier
#pragma omp critical
    many++;
  }
  printf("%d %d %d\n", inner, in_task, many);
}
