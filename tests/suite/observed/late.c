// A loop whose last iteration does what the others never did: it writes where an earlier one had. Argument: where the last one writes.
#include <stdio.h>
#include <stdlib.h>

static void place(double *to, const int *at, int n) {
  for (int i = 0; i < n; i++) // places
    to[at[i]] = i;
}

int main(int argc, char **argv) {
  int n = 400000;
  double *to = calloc(n, sizeof *to), sum = 0;
  int *at = malloc(n * sizeof *at);
  for (int i = 0; i < n; i++)
    at[i] = i;
  if (argc > 1)
    at[n - 1] = atoi(argv[1]);
  place(to, at, n);
  for (int i = 0; i < n; i += 1000)
    sum += to[i];
  printf("%g\n", sum);
  return 0;
}
