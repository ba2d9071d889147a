// Dies, or not, behind two loops: one whose iterations wait for each other, and one of which only a run shows that they do not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 3000 };
static int a[N], b[N];

__attribute__((noinline)) static void add(int *to, const int *from) {
  for (int i = 0; i < N; i++) // apart
    to[i] += from[i];
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "end";
  for (int i = 1; i < N; i++) // chain
    a[i] = a[i - 1] * 3 + i;
  add(b, a);
  volatile int *volatile nowhere = 0;
  if (!strcmp(how, "segv"))
    *nowhere = 1;
  if (!strcmp(how, "abort"))
    abort();
  printf("%d\n", b[N - 1]);
  return 0;
}
