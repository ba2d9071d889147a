// A loop that runs apart in the first process, and whose iterations wait for each other in the one that is forked.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { N = 3000 };
static int a[N];

__attribute__((noinline)) static void work(int *p, int back) {
  for (int i = 1; i < N; i++)
    p[i] = p[i - back] + i;
}

int main(void) {
  work(a, 0);
  pid_t child = fork();
  if (child == 0) {
    work(a, 1);
    exit(0);
  }
  waitpid(child, 0, 0);
  printf("%d\n", a[9]);
  return 0;
}
