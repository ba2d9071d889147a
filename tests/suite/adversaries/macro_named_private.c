/* A macro with the name of a clause, which clang expands in directives: `static(t)` is ignored. */
#include <stdio.h>
#define private static
#define N 3000
private int v[N], out[N];
private __attribute__((noinline)) void f(void) {
  int t;
  for (int i = 0; i < N; i++) {
    t = v[i] * 3; out[i] = t * t + t;
  }
}
int main(void) {
  long s = 0;
  for (int i = 0; i < N; i++) v[i] = i * 7 % 31;
  f();
  for (int i = 0; i < N; i++) s = s * 31 + out[i];
  printf("%ld\n", s);
}
