/* What is said of line 6 by the count of #line is not about line 6 of the text. */
#include <stdio.h>
#define N 3000
static int v[N], out[N], c;
static __attribute__((noinline)) void f1(void) {
  for (int i = 1; i < N; i++) {
    out[i] = out[i-1] * 3 + 1; }
}
#line 5
static __attribute__((noinline)) void f2(void) {
  for (int i = 0; i < N; i++) {
    v[i] = i * 7 % 31; }
}
int main(void) {
  f2(); f1(); f2();
  long s = c;
  for (int i = 0; i < N; i++) s = s * 31 + out[i] + v[i];
  printf("%ld\n", s);
}
