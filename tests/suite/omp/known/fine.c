// Fine-grained tasks: 20000 tasks, each of which does next to nothing, created by one thread and executed by both.
#include <stdio.h>

int main(void) {
  static int done[20000];
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20000; i++) {
#pragma omp task
    done[i]++;
  }
  int sum = 0;
  for (int i = 0; i < 20000; i++) sum += done[i];
  printf("%d\n", sum);
}
