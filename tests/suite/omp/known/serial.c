// 4 x 60 ms in parallel and 4 x 250 ms in between: for 1 s the second thread has no region to be in. Prints how long that was.
#include "wait.h"

int main(void) {
  double serial = 0;
#pragma omp parallel num_threads(2)
  ;
  for (int round = 0; round < 4; round++) {
#pragma omp parallel num_threads(2)
    pause_ms(60);
    double since = now_ms();
    pause_ms(250);
    serial += now_ms() - since;
  }
  printf("%.3f\n", serial);
}
