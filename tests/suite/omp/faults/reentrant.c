// The program's allocator and a signal handler are instrumented functions themselves, and are called while the collector works.
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static char heap[1 << 26];
static size_t used;
static volatile int ticks;

void *malloc(size_t size) {
  size_t start = __atomic_fetch_add(&used, (size + 31) / 16 * 16, __ATOMIC_RELAXED) + 16;
  if (start + size > sizeof heap) return 0;
  *(size_t *)(heap + start - 8) = size;
  return heap + start;
}
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *p, size_t size) {
  void *q = malloc(size);
  if (p && q) {
    size_t old = *(size_t *)((char *)p - 8);
    memcpy(q, p, old < size ? old : size);
  }
  return q;
}

static void tick(int signal) { ticks++; }
static int small(int n) { return n < 2 ? n : small(n - 1); }

int main(void) {
  struct itimerval every = {{0, 200}, {0, 200}};
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &every, 0);
  long sum = 0;
  for (int i = 0; i < 2000; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += small(i % 40);
  }
  every.it_value.tv_usec = every.it_interval.tv_usec = 0;
  setitimer(ITIMER_REAL, &every, 0);
  printf("%ld\n", sum);
  return ticks == 0;
}
