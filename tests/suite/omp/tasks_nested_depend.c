// Many tasks with dependences: a wavefront, tasks done at once, waits for some of them, such waits in tasks that other such
// waits execute, detached tasks, sets.
#include <omp.h>
#include <stdio.h>
#define N 60
static int cells[N + 1][N + 1];

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a) depend(out : a)
  a = fibonacci(n - 1);
#pragma omp task shared(b) depend(out : b)
  b = fibonacci(n - 2);
#pragma omp taskwait depend(in : a, b)
  return a + b;
}

int main(void) {
  long sum = 0;
  int number = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int round = 0; round < 10; round++) {
      for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
#pragma omp task depend(in : cells[i - 1][j], cells[i][j - 1]) depend(inout : cells[i][j]) firstprivate(i, j)
          cells[i][j] += cells[i - 1][j] / 3 + cells[i][j - 1] / 5 + i + j;
#pragma omp task depend(in : cells[N][N]) if (0)
      sum += cells[N][N];
#pragma omp taskwait depend(in : cells[N][1])
    }
#pragma omp taskwait
    number = fibonacci(14);
    for (int k = 0; k < 1000; k++) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : sum)
      sum++;
      omp_fulfill_event(event);
    }
#pragma omp taskgroup
    for (int k = 0; k < 1000; k++)
#pragma omp task depend(inoutset : number)
      ;
  }
  printf("%ld %d %d\n", sum, cells[N][N], number);
  return 0;
}
