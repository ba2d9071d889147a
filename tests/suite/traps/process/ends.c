// Ends in the way its argument names, with regions open; the loop before must be in the profile whatever happens.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { N = 64 };
static int a[N], b[N];

static void end(const char *how) {
  if (!strcmp(how, "exit")) exit(7);
  if (!strcmp(how, "_exit")) _exit(8);
  if (!strcmp(how, "_Exit")) _Exit(9);
  if (!strcmp(how, "quick_exit")) quick_exit(10);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) *(volatile int *)8 = 1;
  if (!strcmp(how, "trap")) __builtin_trap();
  if (!strcmp(how, "int")) raise(SIGINT);
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "exec")) execl("/bin/sh", "sh", "-c", "exit 11", (char *)0);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  printf("%s\n", how);
  fflush(stdout);
  // expect: DOALL sp=64 cp=8 instances=1
  for (int i = 0; i < N; i++)
    a[i] = b[i] * 3;
  for (int i = 0; i < 4; i++)
    if (i == 2)
      end(how);
  return 6;
}
