// A second thread runs instrumented code while the main thread waits.
#include <pthread.h>
enum { N = 64 };
static int a[N], b[N], c[N + 1];

static void *work(void *argument) {
  for (int i = 0; i < N; i++)
    c[i + 1] = c[i] * 3;
  return argument;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, work, a))
    return 2;
  void *result = 0;
  pthread_join(thread, &result);
  // expect: DOALL sp=64 cp=8 instances=1
  for (int i = 0; i < N; i++)
    a[i] = b[i] * 3;
  return result != a;
}
