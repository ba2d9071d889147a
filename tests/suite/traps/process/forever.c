// A server: main never returns. Says its process id, works, and waits for a signal.
#include <stdio.h>
#include <unistd.h>
enum { N = 64 };
static int a[N], b[N];

static void serve(void) {
  // expect: DOALL sp=64
  for (int i = 0; i < N; i++)
    a[i] = b[i] * 3;
}

int main(void) {
  for (int k = 0; k < 10; k++)
    serve();
  printf("%d\n", (int)getpid());
  fflush(stdout);
  for (;;)
    pause();
}
