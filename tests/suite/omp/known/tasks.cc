// Creating a task copies its firstprivate variables, which takes 25 ms here: 20 x 25 ms of thread management. The bodies take
// 5 ms: the other thread waits for the first task 25 ms, and for each of the 19 others 20 ms, while one thread alone makes them.
#include "wait.h"

static double ended[20], made[20];
static int copies;

struct Slow {
  Slow() {}
  Slow(const Slow &) {
    double since = now_ms();
    pause_ms(25);
    lost_since(MANAGEMENT, since);
    made[copies++] = now_ms();
  }
};

int main() {
  Slow slow;
  double begin = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    begin = now_ms();
    for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(slow)
      {
        (void)&slow;
        pause_ms(5);
        ended[i] = now_ms();
      }
    }
  }
  for (int i = 0; i < 20; i++) {
    double idle = made[i] - (i ? ended[i - 1] : begin);
    if (idle > 0) lost_ms[LIMITED] += idle;
  }
  lost_report();
}
