// Creating a task copies its firstprivate variables, which takes 25 ms here: 20 x 25 ms of thread management.
#include "wait.h"

struct Slow {
  Slow() {}
  Slow(const Slow &) { pause_ms(25); }
};

int main() {
  Slow slow;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(slow)
    {
      (void)&slow;
      pause_ms(5);
    }
  }
}
