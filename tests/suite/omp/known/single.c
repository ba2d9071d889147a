// While one thread is in the single or masked region, or has the only section, the other waits: 3 x 100 ms each.
#include "wait.h"
#include <omp.h>

int main(void) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 3; round++) {
    int busy = 0;
#pragma omp barrier
    double since = now_ms();
#pragma omp single
    {
      busy = 1;
      pause_ms(100);
    }
    if (!busy) lost_since(LIMITED, since);
#pragma omp barrier
    since = now_ms();
#pragma omp sections
    {
#pragma omp section
      pause_ms(100);
    }
    if (omp_get_thread_num() == 1) lost_since(LIMITED, since);
#pragma omp barrier
    since = now_ms();
#pragma omp masked
    pause_ms(100);
#pragma omp barrier
    if (omp_get_thread_num() == 1) lost_since(LIMITED, since);
  }
  lost_report();
}
