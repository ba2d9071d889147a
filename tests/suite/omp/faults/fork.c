// Forks between regions; the child has regions of its own and executes nothing else. One child more ends at once.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum(int n) {
  int s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(2)
  for (int i = 0; i < n; i++) s += i;
  return s;
}

int main(void) {
  int before = sum(10), status = 0;
  fflush(stdout);
  if (fork() == 0) _exit(0);
  wait(&status);
  pid_t child = fork();
  if (child == 0) _exit(sum(10) == 45 ? 7 : 1);
  waitpid(child, &status, 0);
  printf("%d %d %d\n", before, WEXITSTATUS(status), sum(10));
}
