// Planted losses: a loop whose iterations take 10 ms on thread 0 and 30 ms on thread 1, a critical region of 20 ms that both threads
// come to at the same moment, and 200 ms of serial code before.
#include "wait.h"

int main(void) {
  pause_ms(200);
  for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
      for (int i = 0; i < 8; i++) pause_ms(i < 4 ? 10 : 30);
#pragma omp critical
      pause_ms(20);
    }
  }
}
