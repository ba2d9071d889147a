// A library with a team of threads, for `runtimes.c`.
#include <omp.h>

int team(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  {
#pragma omp barrier
    threads += omp_get_num_threads();
  }
  return threads;
}
