// Thread 1 comes 100 ms late to each of 5 barriers: 500 ms. Then thread 0 waits 3 x 100 ms in taskwait for tasks that thread 1
// executes.
#include "wait.h"
#include <omp.h>

static volatile int begun;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    double since;
    for (int round = 0; round < 5; round++) {
      if (omp_get_thread_num() == 1) pause_ms(100);
      since = now_ms();
#pragma omp barrier
      lost_since(SYNCHRONIZATION, since);
    }
    for (int round = 0; round < 3; round++) {
      if (omp_get_thread_num() == 0) {
        begun = 0;
#pragma omp task
        {
          begun = 1;
          pause_ms(100);
        }
        // Only the other thread, in the barrier below, can take it.
        while (!begun) pause_ms(1);
        since = now_ms();
#pragma omp taskwait
        lost_since(SYNCHRONIZATION, since);
      }
#pragma omp barrier
    }
  }
  lost_report();
}
