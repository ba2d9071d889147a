// Iteration 1 of each loop takes 100 ms longer than iteration 0: the thread that has iteration 0 waits 5 x 100 ms at the end of
// the loops, and 200 ms at the end of the last region, which has no loop.
#include "wait.h"
#include <math.h>
#include <omp.h>

static double arrival[2];

int main(void) {
  for (int round = 0; round < 5; round++) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 2; i++) {
      pause_ms(20 + 100 * i);
      arrival[i] = now_ms();
    }
    lost_ms[IMBALANCE] += fabs(arrival[1] - arrival[0]);
  }
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) pause_ms(200);
    arrival[omp_get_thread_num()] = now_ms();
  }
  lost_ms[IMBALANCE] += fabs(arrival[1] - arrival[0]);
  lost_report();
}
