// levels: O0 O1 O3
// Signal handlers run between any two operations, and leave clock and regions as they found them.
#include <setjmp.h>
#include <signal.h>
enum { N = 8 };
static volatile sig_atomic_t hits;
static sigjmp_buf env;
static int a[64], b[64];

// expect-function: ANY instances=8 work=8*6 cp=8*6
// load 4, add 1, store 1
static void count(int s) {
  (void)s;
  hits = hits + 1;
}

static void leave(int s) { siglongjmp(env, s); }

int main(void) {
  signal(SIGUSR1, count);
  // expect: ANY iters=8 instances=1
  for (int i = 0; i < N; i++)
    raise(SIGUSR1);
  signal(SIGUSR2, leave);
  // expect: ANY iters=8 instances=1
  for (int i = 0; i < N; i++)
    if (sigsetjmp(env, 1) == 0)
      raise(SIGUSR2);
  // expect: DOALL sp=64 cp=8
  for (int i = 0; i < 64; i++)
    a[i] = b[i] * 3;
  return hits != N;
}
