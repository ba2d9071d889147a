// Every kind of construct, four times: what a watcher sees of each stands in `tests/omp.rs`.
#include <omp.h>
#include <stdio.h>

enum { N = 1000, ROUNDS = 4 };
static double a[N], sum;
static int adder;
// One for each kind of exclusion: they do not exclude each other.
static int entered[4];
static omp_lock_t lock;
static omp_nest_lock_t nest;

// 8 tasks and 4 taskwaits for n = 4.
static int fibonacci(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x)
  x = fibonacci(n - 1);
#pragma omp task shared(y)
  y = fibonacci(n - 2);
#pragma omp taskwait
  return x + y;
}

static void worksharing(void) {
#pragma omp for schedule(static)
  for (int i = 0; i < N; i++) a[i] = i;
#pragma omp for schedule(dynamic, 100)
  for (int i = 0; i < N; i++) a[i] += i;
#pragma omp for schedule(guided) nowait
  for (int i = 0; i < N; i++) a[i] *= 0.5;
#pragma omp barrier
#pragma omp sections
  {
#pragma omp section
    a[0] = 1;
#pragma omp section
    a[1] = 1;
#pragma omp section
    a[2] = 1;
  }
#pragma omp for reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += a[i];
#pragma omp for ordered
  for (int i = 0; i < 20; i++) {
#pragma omp ordered
    adder += i;
  }
}

static void exclusion(void) {
#pragma omp single
  a[3] = 1;
#pragma omp master
  a[4] = 1;
#pragma omp critical(alpha)
  entered[0]++;
#pragma omp critical(beta)
  entered[1]++;
#pragma omp atomic
  adder++;
  omp_set_lock(&lock);
  entered[2]++;
  omp_unset_lock(&lock);
  omp_set_nest_lock(&nest);
  omp_set_nest_lock(&nest);
  entered[3]++;
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
}

static void tasking(void) {
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      adder++;
    }
#pragma omp taskloop grainsize(100)
    for (int i = 0; i < N; i++) a[i] += 1;
    adder += fibonacci(4);
  }
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2)
    {
      worksharing();
      exclusion();
      tasking();
    }
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      entered[0]++;
    }
#pragma omp parallel num_threads(1 + round)
    {
#pragma omp atomic
      entered[1]++;
    }
  }
  printf("%d\n", entered[0] + entered[1] + entered[2] + entered[3]);
}
