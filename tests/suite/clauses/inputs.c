// Loops that are right on this input and not on every one: what no source proves is only proposed.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define N 2000

union number {
  int i;
  float f;
};

union number numbers[N + 1], others[N + 1];
int kept[N], source[N], classes[N];
bool seen[16];
float single[N + 1];

// The function that converts may get the same numbers.
__attribute__((noinline)) static void convert(int n, const union number *x) {
  int j;
  // clauses: unchecked firstprivate(x) -- x may be numbers
  for (j = 0; j < n; j++)
    numbers[j].i = (int)x[j + 1].f;
}

// Memory from malloc may be both.
__attribute__((noinline)) static void narrow(int n, const double *x, float *y) {
  int j;
  // clauses: unchecked -- y may begin where x does
  for (j = 0; j < n; j++)
    y[j] = (float)x[j];
}

// What is declared as one type is no other.
__attribute__((noinline)) static void declared(int n, const int *x) {
  int j;
  // clauses: none
  for (j = 0; j < n; j++)
    single[j] = (float)x[j];
}

__attribute__((noinline)) static unsigned sums(unsigned from, unsigned to) {
  unsigned i, s = 0;
  // clauses: unchecked reduction(+:s) -- wraps around where it begins beyond
  for (i = from; i != to; i++)
    s += i * 7u;
  // clauses: reduction(+:s)
  for (i = 0; i != to; i++)
    s += i * 5u;
  // clauses: reduction(+:s)
  for (i = from; i < to; i++)
    s += i * 3u;
  return s;
}

struct options {
  int block;
};

int by = 1;

__attribute__((noinline)) static void stepped(int n, int step, const struct options *o) {
  int i;
  // clauses: unchecked -- a directive divides by the step, even where n is 0 as well
  for (i = 0; i < n; i += step)
    kept[i] = i;
  // clauses: unchecked
  for (i = 0; i < n; i += o->block)
    kept[i] += i;
  // clauses: unchecked
  for (i = n - 1; i >= 0; i -= by)
    kept[i] += i * 2;
  // clauses: none
  for (i = 0; i < n; i += 2)
    kept[i] += i * 3;
}

__attribute__((noinline)) static void checked(int n) {
  int j, previous = -1, value;
  // clauses: words -- where the check fails, the value of the iteration before is printed
  for (j = 0; j < n; j++) {
    if (source[j] == -1) {
      printf("bad value at %d, the one before was %d\n", j, previous);
      exit(1);
    }
    previous = source[j];
    kept[j] = previous * 2;
  }
  // clauses: private(value)
  for (j = 0; j < n; j++) {
    value = source[j];
    if (value == -1) {
      printf("bad value %d\n", value);
      exit(1);
    }
    kept[j] += value;
  }
}

int main(void) {
  int i;
  double *x = malloc(N * sizeof *x);
  float *y = malloc(N * sizeof *y);
  // clauses: none
  for (i = 0; i < N; i++) {
    source[i] = i * 3;
    classes[i] = i * 31 % 12;
    x[i] = i;
  }
  // clauses: none
  for (i = 0; i <= N; i++)
    others[i].f = (float)i;
  convert(N, others);
  narrow(N, x, y);
  declared(N, source);
  stepped(N, by, &(struct options){1});
  checked(N);
  // clauses: words -- clang fails on atomic updates of bool
  for (i = 0; i < N; i++)
    seen[classes[i]] |= i > 1900;
  printf("%d %g %g %u %d %d\n", numbers[5].i, y[7], single[9], sums(3, N), kept[11], seen[3] + seen[4] * 2);
  return 0;
}
