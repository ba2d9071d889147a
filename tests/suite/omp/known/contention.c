// Both threads come to a critical region, then to a lock, at the same moment, and keep them for 100 ms: one waits 3 x 100 ms for
// each, and then the other waits as long in the barrier behind. 4 x 300 ms in all.
#include "wait.h"
#include <omp.h>

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 3; round++) {
#pragma omp barrier
    double since = now_ms();
#pragma omp critical
    {
      lost_since(SYNCHRONIZATION, since);
      pause_ms(100);
    }
    since = now_ms();
#pragma omp barrier
    lost_since(SYNCHRONIZATION, since);
    since = now_ms();
    omp_set_lock(&lock);
    lost_since(SYNCHRONIZATION, since);
    pause_ms(100);
    omp_unset_lock(&lock);
    since = now_ms();
#pragma omp barrier
    lost_since(SYNCHRONIZATION, since);
  }
  omp_destroy_lock(&lock);
  lost_report();
}
