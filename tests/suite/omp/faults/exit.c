// The process ends in a parallel region, in the way that the argument says: exit, _exit, quick_exit, vfork
// (a child ends first), abort, crash, kill, return.
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "return";
  for (int round = 0; round < 5; round++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 100; i++) usleep(10);
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      if (!strcmp(how, "exit")) exit(3);
      if (!strcmp(how, "_exit")) _exit(4);
      if (!strcmp(how, "quick_exit")) quick_exit(6);
      if (!strcmp(how, "vfork")) {
        if (vfork() == 0) _exit(1);
        exit(7);
      }
      if (!strcmp(how, "abort")) abort();
      if (!strcmp(how, "crash")) *(volatile int *)8 = 1;
      if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    }
    if (strcmp(how, "return")) pause();
  }
  return 5;
}
