// Threads that fork while others run: in the child only the thread that forked goes on, in the parent all of them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long sum(long n) {
  volatile long total = 0;
  for (long i = 0; i < n; i++) total += i;
  return total;
}

static void *count(void *status) {
  *(long *)status = sum(20000);
  return NULL;
}

static int child(void) {
  long result;
  pthread_t thread;
  if (pthread_create(&thread, NULL, count, &result) || pthread_join(thread, NULL)) return 99;
  return (int)(result % 50);
}

static void *fork_often(void *statuses) {
  for (int i = 0; i < 4; i++) {
    pid_t pid = fork();
    if (pid == 0) _exit(child());
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) abort();
    ((int *)statuses)[i] = WEXITSTATUS(status);
    sum(1000);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  int statuses[4][4];
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], NULL, fork_often, statuses[i])) return 1;
  fork_often(statuses[3]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) printf("%d ", statuses[i][k]);
  printf("%ld\n", sum(1000));
  return 0;
}
