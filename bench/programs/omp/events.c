// Time of one kind of OpenMP event: the best of many rounds of N constructs, in ns per construct, on one thread.
// Usage: events KIND N ROUNDS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile long sink;
static omp_lock_t lock;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void critical(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp critical
    sink++;
  }
}

static void locks(long n) {
  for (long i = 0; i < n; i++) {
    omp_set_lock(&lock);
    sink++;
    omp_unset_lock(&lock);
  }
}

static void loops(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp for nowait
    for (int j = 0; j < 1; j++) sink++;
  }
}

static void barriers(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp barrier
  }
}

static void singles(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp single nowait
    sink++;
  }
}

static void tasks(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp task
    sink++;
  }
}

static void regions(long n) {
  for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(1)
    sink++;
  }
}

int main(int count, char **words) {
  if (count != 4) return 2;
  static const struct {
    const char *name;
    void (*run)(long);
  } kinds[] = {{"critical", critical}, {"lock", locks}, {"loop", loops},      {"barrier", barriers},
               {"single", singles},    {"task", tasks}, {"parallel", regions}};
  omp_init_lock(&lock);
  long n = atol(words[2]);
  double best = 1e30;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    if (strcmp(words[1], kinds[kind].name)) continue;
    for (long round = atol(words[3]); round > 0; round--) {
      double start = now(), end;
#pragma omp parallel num_threads(1)
      {
        kinds[kind].run(n);
#pragma omp barrier
      }
      end = now();
      if (end - start < best) best = end - start;
    }
  }
  printf("%.3f\n", best / (double)n);
}
