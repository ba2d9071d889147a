// 30 iterations; in the 20th, thread 1 works 150 ms longer than in the others.
// phases: 30
#define _POSIX_C_SOURCE 199309L
#include <omp.h>
#include <stdio.h>
#include <time.h>

static void work(long milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < milliseconds * 1000000L);
}

int main(void) {
  int done = 0;
  for (int iteration = 1; iteration <= 30; iteration++) {
#pragma omp parallel num_threads(2)
    {
      work(1);
      if (iteration == 20 && omp_get_thread_num() == 1) work(150);
    }
#pragma omp parallel num_threads(2) reduction(+ : done)
    done++;
  }
  printf("%d\n", done);
}
