// levels: O0 O1 O3
// K13: exit() inside nested regions keeps the profile, complete.
#include <stdlib.h>
enum { N = 64 };
static int a[N], b[N];

static void leave(int code) {
  // expect: DOALL sp=64 work=64*6 cp=6
  for (int i = 0; i < N; i++)
    a[i] = b[i] + 1;
  exit(code);
}

int main(void) {
  // expect: ANY iters=3
  for (int i = 0; i < 8; i++)
    if (i == 2)
      leave(0);
    else
      b[i] = i;
  return 1;
}
