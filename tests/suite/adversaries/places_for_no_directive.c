/* A directive must not be put into a comment, nor above digraphs of another one; arguments without names are the function's own. */
#include <stdarg.h>
#include <stdio.h>
#define N 3000
static int out[N];
static __attribute__((noinline)) void f(int n, ...) {
  int k;
  int z = 3; (void)z; /* two
  lines */ for (int i = 0; i < N; i++) {
    k = i * 5; out[i] += k;
  }
%:pragma unroll 2
  for (int i = 0; i < N; i++) <%
    k = i * 3; out<:i:> += k;
  %>
  for (int i = 0; i < N; i++) {
    va_list ap; va_start(ap, n); out[i] += va_arg(ap, int) * i; va_end(ap);
  }
}
int main(void) {
  f(1, 5);
  long s = 0;
  for (int i = 0; i < N; i++) s = s * 31 + out[i];
  printf("%ld\n", s);
}
