// What nothing is known of, behind a condition that never held: no run has shown what it does.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define N 400

static double a[N], b[N];
static double limit = 1e9;
int errors;

NOINLINE static void library(void) {
  // clauses: unchecked -- setlocale did not run
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 3;
    if (b[i] > limit)
      b[i] = setlocale(LC_ALL, "C")[0];
  }
}

NOINLINE static void environment(void) {
  // clauses: unchecked -- setenv did not run
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 3;
    if (b[i] > limit)
      setenv("WORST", "x", 1);
  }
}

NOINLINE static void assembly(void) {
  // clauses: unchecked -- it did not run
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 3;
    if (b[i] > limit)
      __asm__ volatile("incl errors(%%rip)" ::: "cc", "memory");
  }
}

NOINLINE static void comparison(double key) {
  // clauses: firstprivate(key) -- it computes a value, and no more
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 3;
    if (b[i] > limit)
      b[i] = abs((int)key);
  }
}

NOINLINE static void the_end(void) {
  // clauses: none -- what ends the program does nothing that others see
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 3;
    if (b[i] > limit)
      abort();
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = i * 7 % 101;
  library();
  environment();
  assembly();
  comparison(3);
  the_end();
  printf("%g %d\n", b[77], errors);
}
