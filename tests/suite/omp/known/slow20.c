// Thirty iterations of a region of 5 ms per thread; in the twentieth, thread 1 takes 80 ms more in the second loop.
#include "wait.h"

int main(void) {
  for (int round = 1; round <= 30; round++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < 2; i++) pause_ms(2);
#pragma omp for schedule(static, 1)
      for (int i = 0; i < 2; i++) pause_ms(round == 20 && i == 1 ? 83 : 3);
    }
  }
}
