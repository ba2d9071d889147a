// levels: O0 O1 O3
// As jumps.c, with the compiler's own jumps.
enum { N = 8 };
static void *env[5];
static int given;
static int sink, b[64];

// expect-function: ANY instances=8 work=8*(12+1) cp=8*(12+1)
static void heavy(int x) { sink = x / 3; }

// expect-function: ANY instances=8
__attribute__((noinline)) static void deep(int x) {
  // expect: ANY instances=8 iters=8*3
  for (int i = 0; i < 4; i++)
    if (i == 2) {
      heavy(x);
      given = x + 1;
      __builtin_longjmp(env, 1);
    }
}

// expect-function: ANY instances=8
__attribute__((noinline)) static int attempt(int x) {
  if (__builtin_setjmp(env))
    return given;
  deep(x);
  return 0;
}

int main(void) {
  int n = 0;
  // expect: ANY iters=8 instances=1
  for (int i = 0; i < N; i++)
    n += attempt(i);
  // expect: DOALL sp=64 cp=8
  for (int i = 0; i < 64; i++)
    b[i] = b[i] * 3;
  return n != 36;
}
