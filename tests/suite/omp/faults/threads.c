// Two threads of the program, none of them the first, have regions of their own at the same time, with nested ones.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *sum) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < 200; round++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp atomic
        *(int *)sum += 1;
      }
    }
  }
  return sum;
}

int main(void) {
  pthread_t threads[2];
  int sums[2] = {0, 0};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &sums[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  printf("%d\n", sums[0] + sums[1]);
}
