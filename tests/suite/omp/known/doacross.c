// 10 iterations of 50 ms, each of which depends on the one before: of 2 threads one waits all the time, 500 ms. Most of
// it in the loop, which no event tells; the last 50 ms at the barrier.
#include "wait.h"

int main(void) {
#pragma omp parallel num_threads(2)
  {
    double since;
#pragma omp for ordered(1) schedule(static, 1) nowait
    for (int i = 0; i < 10; i++) {
      since = now_ms();
#pragma omp ordered depend(sink : i - 1)
      lost_since(SYNCHRONIZATION, since);
      pause_ms(50);
#pragma omp ordered depend(source)
    }
    since = now_ms();
#pragma omp barrier
    lost_since(SYNCHRONIZATION, since);
  }
  lost_report();
}
