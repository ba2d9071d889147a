// 5 x 60 ms in parallel and 5 x 40 ms in between: for 200 ms the second thread has no region to be in.
#include "wait.h"

int main(void) {
#pragma omp parallel num_threads(2)
  ;
  for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(2)
    pause_ms(60);
    pause_ms(40);
  }
}
