// levels: O0 O1 O3
// __builtin_setjmp and __builtin_longjmp, out of a recursion with loops: what was open below is closed where the jump leads.
static void *env[5];
static volatile int sink;

// expect-function: ANY instances=6*4
__attribute__((noinline)) static void dive(int depth) {
  // expect: ANY instances=6*4
  for (int i = 0; i < 2; i++) {
    sink += i;
    if (depth == 3)
      __builtin_longjmp(env, 1);
    dive(depth + 1);
  }
}

// expect-function: ANY instances=6
__attribute__((noinline)) static int attempt(void) {
  if (__builtin_setjmp(env))
    return 1;
  dive(0);
  return 0;
}

int main(void) {
  int n = 0;
  // expect: ANY iters=6 instances=1
  for (int i = 0; i < 6; i++)
    n += attempt();
  return n != 6;
}
