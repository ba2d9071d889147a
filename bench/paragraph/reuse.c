/* Rounds that have nothing in common but the array that each fills before it reads it: of the stack, or of memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 200

static double fill_and_sum(double *scratch, long round) {
  for (int i = 0; i < LENGTH; i++)
    scratch[i] = (double)(round + 1) * (i + 2);
  double sum = 0;
  for (int i = 0; i < LENGTH; i++)
    sum += scratch[i] * scratch[LENGTH - 1 - i];
  return sum;
}

__attribute__((noinline)) static double on_the_stack(long round) {
  double scratch[LENGTH];
  return fill_and_sum(scratch, round);
}

__attribute__((noinline)) static double in_memory(double *scratch, long round) { return fill_and_sum(scratch, round); }

int main(int argc, char **argv) {
  long rounds = argc > 2 ? atol(argv[2]) : 0;
  if (rounds <= 0) {
    fprintf(stderr, "usage: reuse stack|memory ROUNDS\n");
    return 2;
  }
  double *found = malloc(rounds * sizeof *found);
  double *scratch = malloc(LENGTH * sizeof *scratch);
  if (!found || !scratch)
    return 1;
  int stack = !strcmp(argv[1], "stack");
  for (long round = 0; round < rounds; round++)
    found[round] = stack ? on_the_stack(round) : in_memory(scratch, round);
  printf("%.6e %.6e\n", found[0], found[rounds - 1]);
  free(scratch);
  free(found);
  return 0;
}
