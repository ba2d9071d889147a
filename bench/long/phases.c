// Two phases in turn: independent iterations, and a chain.  Arguments: rounds, calls of each phase in a round.
#include <stdio.h>
#include <stdlib.h>
enum { N = 4096 };
static double a[N], b[N], c[N];
// Independent iterations.
__attribute__((noinline)) static void smooth(void) {
  for (int i = 1; i < N - 1; i++) {
    double x = a[i];
    for (int k = 0; k < 20; k++)
      x = x * 0.999 + a[i - 1] * 0.0005 + a[i + 1] * 0.0005;
    b[i] = x;
  }
}
// A chain.
__attribute__((noinline)) static void solve(void) {
  for (int i = 1; i < N; i++) {
    double x = c[i - 1];
    for (int k = 0; k < 20; k++)
      x = x * 0.99 + b[i] * 0.01;
    c[i] = x;
  }
}
int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100, each = argc > 2 ? atol(argv[2]) : 50;
  for (int i = 0; i < N; i++) a[i] = i % 17;
  for (long r = 0; r < rounds; r++) {
    for (long t = 0; t < each; t++) { smooth(); a[t % N] = b[(t + 1) % N]; }
    for (long t = 0; t < each; t++) { solve(); b[t % N] = c[(t + 1) % N]; }
  }
  printf("%f %f\n", b[7], c[9]);
}
