// Ends in some way, behind two loops: one whose iterations wait for each other, and one of which only a run shows that they do not.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
enum { N = 3000 };
static int a[N], b[N];

__attribute__((noinline)) static void add(int *to, const int *from) {
  for (int i = 0; i < N; i++) // apart
    to[i] += from[i];
}

__attribute__((noinline)) static int deeper(volatile int *from) {
  volatile int here[1000];
  here[999] = from[999];
  return deeper(here) + here[999];
}

static void *ender(void *what) {
  struct timespec while_it_runs = {0, 200000000};
  nanosleep(&while_it_runs, 0);
  kill(getpid(), SIGTERM);
  return what;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "end";
  pthread_t other;
  // A thread that observes nothing ends the program in the middle of a loop.
  if (!strcmp(how, "thread"))
    pthread_create(&other, 0, ender, 0);
  // The system does, after some seconds of processor time.
  time_t end = !strcmp(how, "kill") || !strcmp(how, "thread") ? time(0) + 5 : 0;
  do {
    for (int i = 1; i < N; i++) // chain
      a[i] = a[i - 1] * 3 + i;
    add(b, a);
  } while (time(0) < end);
  volatile int *volatile nowhere = 0;
  if (!strcmp(how, "segv"))
    *nowhere = 1;
  if (!strcmp(how, "abort"))
    abort();
  if (!strcmp(how, "overflow"))
    return deeper(a);
  if (!strcmp(how, "term") || !strcmp(how, "kill"))
    kill(getpid(), how[0] == 't' ? SIGTERM : SIGKILL);
  printf("%d\n", b[N - 1]);
  return 0;
}
