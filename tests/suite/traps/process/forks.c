// The child's regions belong to the child's profile, the parent's to the parent's.
#include <sys/wait.h>
#include <unistd.h>
enum { N = 64 };
static int a[N + 1], b[N];

int main(void) {
  // expect: DOALL sp=64 instances=1
  for (int i = 0; i < N; i++) // before
    a[i] = b[i] * 3;
  pid_t child = fork();
  if (child == 0) {
    // expect: SERIAL sp=1 instances=1
    for (int i = 0; i < N; i++) // child
      a[i + 1] = a[i] * 3;
    return 5;
  }
  int status = 0;
  waitpid(child, &status, 0);
  // expect: DOALL sp=32 instances=1
  for (int i = 0; i < N / 2; i++) // parent
    a[i] = b[i] + 3;
  return WEXITSTATUS(status) == 5 ? 4 : 1;
}
