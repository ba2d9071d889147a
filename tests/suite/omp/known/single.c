// While one thread is in the single or masked region, or has the only section, the other waits: 3 x 100 ms each.
#include "wait.h"

int main(void) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 3; round++) {
#pragma omp barrier
#pragma omp single
    pause_ms(100);
#pragma omp sections
    {
#pragma omp section
      pause_ms(100);
    }
#pragma omp masked
    pause_ms(100);
#pragma omp barrier
  }
}
